#include "routing/redis_importer.hpp"

#include "base/unicode.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace leat::routing {
namespace {

using taking::verdict;

void check(const importer_settings& given, const config::reporter& at) {
    if (!given.queue) {
        at.error("queue", "missing setting queue.in");
        return;
    }
    const auto& queue = *given.queue;
    auto below = given.pending() + ":";
    for (const auto& [setting, list] :
         {std::pair{"queue.reply", queue.reply}, std::pair{"queue.error", queue.error},
          std::pair{"queue.recovery", queue.recovery}, std::pair{"queue.pending", queue.pending}}) {
        if (list == queue.in) {
            at.error(setting, "`" + queue.in + "` is also queue.in: every message would come back for ever");
        } else if (list && list->starts_with(below)) {
            at.error(setting, "`" + *list + "` is one of the keys below queue.pending");
        }
    }
    if (queue.in.starts_with(below)) {
        at.error("queue.in", "`" + queue.in + "` is one of the keys below queue.pending");
    }
    if (queue.reply && queue.reply == given.error()) {
        at.error("queue.reply", "`" + *queue.reply + "` is also the list of errors");
    }
    if (queue.recovery && queue.recovery == given.error()) {
        at.error("queue.recovery", "`" + *queue.recovery + "` is also the list of errors");
    }
    if (!given.recover.empty() && !queue.recovery) {
        at.error("recover", "recover says which errors go to queue.recovery, and there is none");
    }
    if (queue.recovery && given.recover.empty()) {
        at.warning("queue.recovery", "nothing goes there without recover, the names of errors");
    }
    if (given.error_reply && !queue.reply) {
        at.warning("errorReply", "errorReply has no effect without queue.reply");
    }
}

} // namespace

const config::spec<importer_settings>& redis_importer_spec() {
    using settings = importer_settings;
    using queues = importer_queues;
    static const config::spec<settings> made{
        "RedisImporter",
        "Takes messages from a list and sends each along a route.",
        R"(What comes back decides what becomes of a message:

| outcome | the message |
|---|---|
| a reply | is done, and the reply is pushed to `queue.reply`, text as it is, other values as JSON |
| nothing to say | is done |
| an error | goes to `queue.error` as it was; the error's name and message are beside it, in the hash `<queue.error>:story` by the SHA1 of the message |
| an error that `recover` names | goes to `queue.recovery` as it was, for others to try |

All of it is one step of Redis, with what exporters push: a message is in `queue.in`, in the hand of one instance, or in its end,
and its reply is there once. When an instance dies, what it had in hand goes back to `queue.in`.

After `timeout` a message fails with `Timeout: <importer> timeout (<n>ms)`, whatever it waits for; an answer that comes later is
counted and dropped. Failures reach `queue.reply` only with `errorReply`, as `{"error":{"name","message"}}`.

With `concurrency: 1` (the default) and one instance, messages are done in their order, each settled before the next is begun.
)",
        {description_field(),
         config::group(
             "queue", &settings::queue, "Lists.",
             std::vector<config::typed_field<queues>>{
                 config::field("in", &queues::in, "List that messages are taken from.")
                     .required()
                     .not_empty()
                     .example("orders"),
                 config::field(
                     "pending", &queues::pending,
                     "Prefix of the keys for what is taken and not settled. Default: `<in>:pending`.")
                     .not_empty()
                     .example("orders:pending"),
                 config::field("reply", &queues::reply, "List for replies.").not_empty().example("orders:reply"),
                 config::field("error", &queues::error, "List for messages that failed. Default: `<in>:error`.")
                     .not_empty()
                     .example("orders:error"),
                 config::field("recovery", &queues::recovery, "List for messages that others should try.")
                     .not_empty()
                     .example("orders:recovery")}),
         config::field(
             "json", &settings::json, "Messages must be JSON; what is none fails with SyntaxError before it begins."),
         config::field("timeout", &settings::timeout, "Longest time of a message on its route.")
             .required()
             .range(1, 86'400'000)
             .unit("ms")
             .example(std::int64_t{8000}),
         config::field("route", &settings::route, "Names of the processors, in order.")
             .required()
             .at_least(1)
             .not_empty()
             .example(std::vector<std::string>{"RedisExporter.singleton"}),
         config::field("errorReply", &settings::error_reply, "Failures are told to queue.reply, too."),
         config::field("recover", &settings::recover, "Names of the errors that go to queue.recovery.")
             .not_empty()
             .distinct()
             .example(std::vector<std::string>{"Timeout"}),
         config::field("concurrency", &settings::concurrency, "Messages on their way at a time.").range(1, 10'000),
         config::field(
             "popTimeout", &settings::pop_timeout, "Longest time without a look at `queue.in` when no sign comes.")
             .range(1, 30)
             .unit("s"),
         config::field(
             "maxDeliveries", &settings::max_deliveries,
             "A message that was in hand when instances died, so often, goes to `queue.error`.")
             .range(1, 1000),
         config::field(
             "maxMessageBytes", &settings::max_message_bytes,
             "A message that is larger fails as TooLarge, and so does one whose reply or exports would be.")
             .range(1024, 536'870'912)
             .unit("bytes"),
         config::field(
             "maxBytesInFlight", &settings::max_bytes_in_flight,
             "No more messages are taken while those on their way, with what is to be pushed for them, have so many "
             "bytes.")
             .range(1024, 8'589'934'592)
             .unit("bytes"),
         config::field("lease", &settings::lease, "An instance that was not heard of for so long is taken for dead.")
             .range(2, 3600)
             .unit("s")},
        {{"with replies", "queue: {in: orders, reply: orders:reply, pending: orders:pending}\ntimeout: 8000\n"
                          "route: [RedisExporter.singleton]\n"}},
        &check};
    return made;
}

processor_type redis_importer_type() {
    return {.spec = &redis_importer_spec(), .is = role::importer, .make = {}, .routes = &one_route};
}

verdict verdict_of(const importer_settings& settings, const std::string& original, passage& over) {
    auto* failed = std::get_if<message::error>(&over.outcome);
    std::vector<verdict::push> pushes;
    for (auto& each : over.writes) {
        if (each.counts(failed != nullptr)) {
            pushes.push_back({.to = std::move(each.to), .message = std::move(each.text), .keep = each.keep});
        }
    }
    if (failed == nullptr) {
        const auto* reply = std::get_if<content>(&over.outcome);
        if (reply != nullptr && settings.queue->reply && !reply->is_null()) {
            pushes.push_back({.to = *settings.queue->reply, .message = reply->text()});
        }
        return verdict::done(std::move(pushes));
    }
    failed->message = base::printable(failed->message, 1000);
    if (settings.error_reply && settings.queue->reply) {
        pushes.push_back({.to = *settings.queue->reply, .message = R"({"error":)" + message::to_json(*failed) + "}"});
    }
    if (std::ranges::find(settings.recover, failed->name) != settings.recover.end()) {
        pushes.push_back({.to = *settings.queue->recovery, .message = original});
        return verdict::done(std::move(pushes));
    }
    auto made = verdict::dead(failed->message);
    made.name = failed->name;
    made.pushes = std::move(pushes);
    return made;
}

std::unique_ptr<importer> make_redis_importer(
    std::string name, const importer_settings& settings, engine& moves, route along) {
    std::chrono::milliseconds timeout{settings.timeout};
    taking::work work;
    work.in = settings.queue->in;
    work.pending = settings.pending();
    work.dead = settings.error();
    work.pushes = true;
    work.concurrency = settings.concurrency;
    work.max_deliveries = settings.max_deliveries;
    work.max_message_bytes = static_cast<std::size_t>(settings.max_message_bytes);
    work.max_bytes_in_flight = static_cast<std::size_t>(settings.max_bytes_in_flight);
    work.lease = std::chrono::seconds{settings.lease};
    work.tick = std::chrono::seconds{settings.pop_timeout};
    return std::make_unique<importer>(
        std::move(name), timeout, settings.json, moves, std::move(along),
        [settings](const std::string& original, passage& over) { return verdict_of(settings, original, over); },
        std::move(work));
}

} // namespace leat::routing
