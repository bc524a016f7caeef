#include "routing/redis_importer.hpp"

#include "base/unicode.hpp"
#include "store/keys.hpp"

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
    auto below = store::taking_keys{given.pending()}.below();
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

const config::spec<importer_settings>& spec() {
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

All of it is one step of Redis, with what exporters push: a message is in `queue.in`, in flight with one instance, or finished,
and its reply is there once. When an instance dies, what it had in flight goes back to `queue.in`.

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
         config::field("errorReply", &settings::error_reply, "Failures are sent to queue.reply, too."),
         config::field("recover", &settings::recover, "Names of the errors that go to queue.recovery.")
             .not_empty()
             .distinct()
             .example(std::vector<std::string>{"Timeout"}),
         taking::flight_field("concurrency"), runtime::pop_timeout_field(), taking::flight_field("maxDeliveries"),
         taking::flight_field("maxMessageBytes"), taking::flight_field("maxBytesInFlight"),
         taking::flight_field("lease")},
        {{"with replies", "queue: {in: orders, reply: orders:reply, pending: orders:pending}\ntimeout: 8000\n"
                          "route: [RedisExporter.singleton]\n"}},
        &check};
    return made;
}

lists_by_role lists_of(const importer_settings& settings) {
    lists_by_role made{{"in", {settings.queue->in}}, {"pending", {settings.pending()}}, {"dead", {settings.error()}}};
    if (settings.queue->reply) {
        made.push_back({"reply", {*settings.queue->reply}});
    }
    return made;
}

} // namespace

processor_type redis_importer_type() {
    return processor_type_of<importer_settings>(
        {.spec = &spec(),
         .is = role::importer,
         .make_importer =
             [](std::string name, const importer_settings& settings, const processor_context& context, route along) {
                 return std::make_unique<redis_importer>(std::move(name), settings, context, std::move(along));
             },
         .routes = &one_route,
         .lists = &lists_of});
}

verdict verdict_of(const importer_settings& settings, const std::string& original, passage& over) {
    auto* failed = std::get_if<message::error>(&over.outcome);
    auto pushes = outputs_of(over);
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

redis_importer::redis_importer(
    std::string name, importer_settings settings, const processor_context& context, route along)
    : settings_{std::move(settings)}
    , loop_of_{context.loop_of}
    , intake_{std::move(name),
              std::chrono::milliseconds{settings_.timeout},
              settings_.json,
              context.passages,
              std::move(along),
              [this](const std::string& original, passage& over) { return verdict_of(settings_, original, over); },
              work_of_queue()} {
}

taking::work redis_importer::work_of_queue() const {
    auto work = taking::work_of(static_cast<const taking::flight_settings&>(settings_));
    work.in = settings_.queue->in;
    work.pending = settings_.pending();
    work.dead = settings_.error();
    work.pushes = true;
    return work;
}

boost::asio::awaitable<runtime::exit_code> redis_importer::run() {
    if (stopped_) {
        co_return runtime::exit_code::asked;
    }
    loop_ = loop_of_(intake_.work());
    if (id_ != 0) {
        loop_->registered(id_);
    }
    co_return co_await loop_->run();
}

void redis_importer::stop() {
    stopped_ = true;
    if (loop_) {
        loop_->stop();
    }
}

void redis_importer::registered(std::int64_t id) {
    id_ = id;
    if (loop_) {
        loop_->registered(id);
    }
}

void redis_importer::import(std::string message, std::function<void(trial)> then) {
    auto original = message;
    intake_.import(std::move(message), [this, original, then = std::move(then)](verdict how) {
        trial seen;
        for (auto& each : how.pushes) {
            if (each.keep != 0) {
                continue;
            }
            if (settings_.queue->reply == each.to) {
                seen.reply = each.message;
            }
            seen.pushes.emplace_back(std::move(each.to), std::move(each.message));
        }
        if (how.is == verdict::type::dead) {
            seen.error = message::error{how.name, how.reason};
            seen.pushes.emplace_back(settings_.error(), original);
        }
        then(std::move(seen));
    });
}

} // namespace leat::routing
