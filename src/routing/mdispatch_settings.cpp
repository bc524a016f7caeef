#include "routing/mdispatch_settings.hpp"

#include "routing/reply_prefixes_field.hpp"

namespace leat::routing {
namespace {

constexpr auto description =
    R"(Brings requests to workers and their answers back to whoever asked, or a timeout error: one answer for each request.

A request is any message of `in`. Its asker waits at the list that the request names in `meta.reply`, when it is JSON, else at
`reply`. A request may name lists below `<in>:reply:`, or those that `replyPrefixes` allows; one that names another list, or none
when `reply` is not set, goes to `dead`. A worker gets it from `workers` as

    {"meta":{"id":"..","deadline":1459103237000,"reply":"work:answers:.."},"body":".."}

with the whole request as the text `body` (base64, with `"encoding":"base64"` beside it, when it is not UTF-8, or would grow over 1 MB by its escapes) and the deadline in
milliseconds, and pushes its answer to the list that `meta.reply` names:

    {"meta":{"id":".."},"body":".."}    or    {"meta":{"id":".."},"error":{"name":"..","message":".."}}

The asker gets the same, with its own `meta.id` when the request had one, else with the worker's. Answers may come in any order,
from any worker. After `timeout` the asker gets the error `Timeout`; an answer that comes later, or a second one, is counted
(`answer:late`) and dropped, and so are answers to what was never asked (`answer:unknown`).

Requests are in flight until they are answered: when mdispatch dies, another instance asks again, with a new id. So a worker may
get a request twice; the asker gets one answer.
)";

void check(const mdispatch_settings& given, const config::reporter& at) {
    std::vector<std::pair<std::string, std::string>> outs{{"workers", given.workers}};
    if (given.reply) {
        outs.emplace_back("reply", *given.reply);
        if (*given.reply == given.workers) {
            at.error("reply", "`" + *given.reply + "` is also `workers`: answers would be taken for requests");
        }
    }
    taking::check_taking_settings(given, outs, at);
}

} // namespace

const config::spec<mdispatch_settings>& mdispatch_spec() {
    using settings = mdispatch_settings;
    using config::field;
    using taking::taking_field;
    static const config::spec<settings> made{
        "mdispatch",
        "Brings requests to workers, and one answer for each back to whoever asked.",
        description,
        {
            taking_field("redis"),
            taking_field("in"),
            field("workers", &settings::workers, "List that workers take requests from.")
                .required()
                .not_empty()
                .example("orders:work"),
            field("reply", &settings::reply, "List for the answers of requests that name none themselves.")
                .not_empty()
                .example("orders:reply"),
            field(
                "answers", &settings::answers,
                "What the names of the lists begin with that workers answer to, one for each instance. Default: "
                "`<workers>:answers`.")
                .not_empty()
                .example("orders:answers"),
            field("timeout", &settings::timeout, "Longest wait for an answer.").range(1, 86'400'000).unit("ms"),
            reply_prefixes_field(&settings::reply_prefixes),
            taking_field("concurrency"),
            taking_field("maxDeliveries"),
            taking_field("maxMessageBytes"),
            taking_field("maxBytesInFlight"),
            taking_field("dead"),
            taking_field("pending"),
            taking_field("lease"),
            taking_field("popTimeout"),
            taking_field("serviceRedis"),
            taking_field("serviceNamespace"),
            taking_field("serviceExpire"),
            taking_field("serviceRenew"),
            taking_field("serviceCapacity"),
        },
        {{"requests name their own lists", "in: orders\nworkers: orders:work\n"},
         {"one list for all answers, five seconds",
          "in: orders\nworkers: orders:work\nreply: orders:reply\ntimeout: 5000\nconcurrency: 1000\n"
          "serviceNamespace: shop\n"}},
        &check};
    return made;
}

} // namespace leat::routing
