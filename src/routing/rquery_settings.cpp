#include "routing/rquery_settings.hpp"

#include "routing/query_message.hpp"
#include "routing/reply_prefixes_field.hpp"
#include "store/keys.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>

namespace leat::routing {
namespace {

constexpr auto description =
    R"(Each message of `in` is a query, a JSON object:

    {{"parameters": {{"articleId": 12345}},
     "commands": [{{"command": "hget article:$articleId section", "save": "section"}},
                  {{"command": "hget section:$section label", "save": "label"}}]}}

Its answer, `{{"values":{{"section":"news","label":"News"}}}}`, is pushed to the list that the message names in `meta.reply`, or else
to `reply`. A query may name lists below `<in>:reply:`, or those that `replyPrefixes` allows; one that names another list, or none
when `reply` is not set, goes to `dead`. With `meta.id` the answer begins with `"meta":{{"id":".."}}`. A request
`{{"meta":{{..}},"body":<query>}}` is answered in kind, `{{"meta":{{"id":".."}},"body":{{"values":{{..}}}}}}`.

- `command` is a text, split at spaces (quotes hold them, `'` and `"`), or a list of texts. It is split first; then `$name`
  and `${{name}}` give way to parameters and to what earlier commands have saved, each inside its one argument, whatever the
  value holds. `$$` is a dollar. Parameters are texts, numbers, true or false.
- `save` names the value in the answer. Without it the command is run and its value is dropped, but counts in `maxAnswer`.
- Commands that need nothing of each other are sent together, up to 16 of a query at a time; those that need a saved value wait for
  it. What writes is sent alone, after everything before it.
- Values are null, whole numbers, texts, lists; of `hgetall` a map. Fractions, as scores are, come as texts. What is not UTF-8
  comes as base64, and `"encoding":{{"NAME":"base64"}}` beside `values` says so; of a list or a map then all texts are.

When there can be no values, the answer is `{{"error":{{"name":"..","message":".."}}}}`, and the message is done:

| error | because |
|---|---|
| `BadQuery` | the query is not JSON, not such an object, a quote is open, a name is used twice, a list is to be part of a command |
| `NotAllowed` | a command is none of those below, or writes and is not in `allow`, or the server's own rules forbid it |
| `KeyNotAllowed` | a key does not start with one of `prefixes` |
| `MissingParameter` | neither a parameter nor an earlier `save` has this name |
| `MissingValue` | a saved value is null, and a later command needs it |
| `TooLarge` | more than `maxCommands`, `maxBytes` or `maxAnswer` |
| `Timeout` | Redis did not answer within `timeout`, or had no room (`maxReplyBytesInFlight`); what was sent may still be done |
| `RedisError` | Redis answered with an error, such as WRONGTYPE |

What is refused for the query's own text is refused before anything is sent. A fault that passes (a lost connection, a restart,
a full server) is no answer: the query is tried again, from its beginning. So a query that writes is done at least once. One that
was on its way at the loss of `maxDeliveries` connections goes to `dead`: it may be the cause.

Commands that read: {}.

Commands that write, for `allow`: {}.

No other command can be allowed.
)";

std::string describe() {
    auto words = [](bool writes) { return fmt::format("`{}`", fmt::join(query_command_names(writes), "`, `")); };
    return fmt::format(description, words(false), words(true));
}

std::optional<std::string> check_command(std::string_view name) {
    if (find_query_command(name) == nullptr) {
        auto known = query_command_names(true);
        return "`" + std::string{name} + "` can never be allowed: it is none of the commands of queries" +
               config::did_you_mean(name, known);
    }
    return std::nullopt;
}

void check_all(const rquery_settings& given, const config::reporter& at) {
    std::vector<std::pair<std::string, std::string>> outs;
    if (given.reply) {
        outs.emplace_back("reply", *given.reply);
    }
    taking::check_taking_settings(given, outs, at);
    bool writes = false;
    for (std::size_t i = 0; i < given.allow.size(); ++i) {
        bool only_reads = !find_query_command(given.allow[i])->writes;
        writes = writes || !only_reads;
        if (only_reads) {
            at.warning("allow", i, "`" + given.allow[i] + "` only reads, which is allowed without");
        }
    }
    auto own = taking::own_keys_of(given);
    for (std::size_t i = 0; writes && i < given.prefixes.size(); ++i) {
        if (auto found = own.first_within(given.prefixes[i])) {
            at.error(
                "prefixes", i,
                "`" + given.prefixes[i] + "` lets queries write to `" + *found + "`, which the service lives on");
        }
    }
}

config::spec<rquery_settings> make_spec() {
    using config::field;
    using settings = rquery_settings;
    using taking::taking_field;
    config::spec<settings> made{
        "rquery",
        "Answers queries: allowed commands, with parameters, on allowed keys.",
        describe(),
        {
            taking_field("redis"),
            taking_field("in"),
            field("reply", &settings::reply, "List for the answers to queries that name none themselves.")
                .not_empty()
                .example("queries:answers"),
            reply_prefixes_field(&settings::reply_prefixes),
            field("prefixes", &settings::prefixes, "A query may touch only keys that start with one of these.")
                .required()
                .at_least(1)
                .not_empty()
                .distinct()
                .example(std::vector<std::string>{"article:", "section:"}),
            field("allow", &settings::allow, "Commands that write, and that queries may have beside those that read.")
                .check(check_command)
                .distinct()
                .example(std::vector<std::string>{"incr", "expire"}),
            taking_field("concurrency"),
            field("timeout", &settings::timeout, "Longest time for a query.").range(1, 600'000).unit("ms"),
            field("maxCommands", &settings::max_commands, "Most commands of a query.").range(1, 10'000),
            field(
                "maxBytes", &settings::max_bytes,
                "Largest size of a query, and of all that its commands send once the values stand in them.")
                .range(100, longest_query)
                .unit("bytes"),
            field(
                "maxAnswer", &settings::max_answer,
                "Largest size of an answer, and of all replies of a query together, whether saved or not. It is looked "
                "at "
                "with each reply, and ends the query: choose `prefixes` so that no single command can ask for far "
                "more.")
                .range(100, 64LL << 20)
                .unit("bytes"),
            field(
                "maxReplyBytesInFlight", &settings::max_reply_bytes_in_flight,
                "Most memory of Redis that the replies to this instance's queries should take before they are read. "
                "Commands wait for room. A reply is expected to be as large as the largest seen lately, and 512 kB at "
                "least; a single command is always sent.")
                .range(1 << 20, 4LL << 30)
                .unit("bytes"),
            taking_field("maxDeliveries"),
            taking_field("maxMessageBytes"),
            taking_field("maxBytesInFlight"),
            taking_field("retry"),
            taking_field("dead"),
            taking_field("pending"),
            taking_field("lease"),
            taking_field("popTimeout"),
            taking_field("serviceRedis"),
            taking_field("serviceNamespace"),
            taking_field("done"),
            taking_field("serviceExpire"),
            taking_field("serviceRenew"),
            taking_field("serviceCapacity"),
        },
        {
            {"answers go where each query says", "in: queries\nprefixes: ['article:', 'section:']\n"},
            {"counters may be raised",
             "in: queries\nreply: queries:answers\nprefixes: ['page:']\nallow: [incr, expire]\ntimeout: 500\n"},
        }};
    made.cross_check(&check_all);
    return made;
}

} // namespace

const config::spec<rquery_settings>& rquery_spec() {
    static const auto made = make_spec();
    return made;
}

query_rules rules_of(const rquery_settings& settings) {
    return {
        .prefixes = settings.prefixes,
        .allow = settings.allow,
        .max_commands = static_cast<std::size_t>(settings.max_commands),
        .max_bytes = static_cast<std::size_t>(settings.max_bytes),
        .max_answer = static_cast<std::size_t>(settings.max_answer)};
}

} // namespace leat::routing
