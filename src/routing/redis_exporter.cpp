#include "redis/url.hpp"
#include "routing/asking.hpp"
#include "routing/processors.hpp"
#include "routing/requests.hpp"
#include "runtime/large_calls.hpp"

#include <unordered_map>

namespace leat::routing {
namespace {

struct exporter_queues {
    std::string out;
    std::optional<std::string> reply;
};

struct exporter_settings : described {
    std::optional<exporter_queues> queue;
    std::optional<std::string> redis;
    bool json = false;
    std::optional<std::int64_t> timeout;
};

void check(const exporter_settings& given, const config::reporter& at) {
    if (!given.queue) {
        at.error("queue", "missing setting queue.out");
    }
    if (given.timeout && !(given.queue && given.queue->reply)) {
        at.warning("timeout", "timeout has no effect without queue.reply: nothing is waited for");
    }
}

const config::spec<exporter_settings>& spec() {
    using settings = exporter_settings;
    static const config::spec<settings> made{
        "RedisExporter",
        "Pushes messages to a list; with queue.reply, waits for the answer.",
        R"(Without `queue.reply` the message is pushed to `queue.out`, and there is no reply. To the router's own Redis it goes in
the same step in which the importer settles it: it is in `queue.out` once, or in the error queue, whatever dies. With `redis` it
goes to another server, at least once.

With `queue.reply` it is a request: a worker gets `{"meta":{"id","deadline","reply"},"body"}` from `queue.out`, and pushes
`{"meta":{"id"},"body"}`, or `error` instead of `body`, to the list that `meta.reply` names, which is `<queue.reply>:<instance>`.
The body is the reply. An answer that comes after the timeout is counted and dropped. `leat docs mdispatch` has workers in several
languages.
)",
        {description_field(),
         config::group(
             "queue", &settings::queue, "Lists.",
             std::vector<config::typed_field<exporter_queues>>{
                 config::field("out", &exporter_queues::out, "List that messages are pushed to.")
                     .required()
                     .not_empty()
                     .example("orders:work"),
                 config::field(
                     "reply", &exporter_queues::reply,
                     "What the names of the lists for answers begin with; messages are then requests.")
                     .not_empty()
                     .example("orders:answers")}),
         config::field("redis", &settings::redis, "Server of the lists. Default: the router's.")
             .secret(config::secrecy::url)
             .check(redis::check_url)
             .example("redis://other:6379/0"),
         config::field("json", &settings::json, "Push the message as JSON: text that is no JSON becomes a JSON text."),
         config::field("timeout", &settings::timeout, "Longest wait for an answer. Default: the importer's timeout.")
             .range(1, 86'400'000)
             .unit("ms")
             .example(std::int64_t{2000})},
        {{"fire and forget", "queue: {out: orders:work}\n"},
         {"request and answer", "queue: {out: orders:work, reply: orders:answers}\ntimeout: 2000\n"}},
        &check};
    return made;
}

class redis_exporter : public processor {
public:
    redis_exporter(std::string name, const exporter_settings& settings)
        : processor{std::move(name)}
        , out_{settings.queue->out}
        , json_{settings.json} {}

    // In the step that settles the message.
    step forward(passage& on) override {
        on.writes.push_back({.to = out_, .text = text_of(on)});
        return step::end;
    }

protected:
    std::string text_of(const passage& on) const { return json_ ? as_json(on.message) : on.message.text(); }
    const std::string& out() const { return out_; }

private:
    std::string out_;
    bool json_;
};

class exporter_elsewhere final : public redis_exporter {
public:
    exporter_elsewhere(std::string name, const exporter_settings& settings, const processor_context& context)
        : redis_exporter{std::move(name), settings}
        , context_{context}
        , server_{*settings.redis} {}

    step forward(passage& on) override {
        auto text = text_of(on);
        if (text.size() > on.meta.max_message_bytes) {
            return on.fail(
                "TooLarge", "the message has " + std::to_string(text.size()) + " bytes, more than maxMessageBytes, " +
                                std::to_string(on.meta.max_message_bytes));
        }
        context_.spawn("export", push(on.number(), std::move(text)));
        return step::wait;
    }

private:
    boost::asio::awaitable<void> push(std::uint64_t number, std::string text) {
        if (!there_) {
            there_.emplace(context_.server_of(server_, "messages cannot be exported"));
            large_ = std::make_unique<runtime::large_calls>(there_->calls().changed().executor());
        }
        runtime::large_calls::tries known;
        known.bytes = text.size();
        std::function<boost::asio::awaitable<redis::result<redis::reply>>()> call = [this, &text, &known] {
            return large_->call(there_->calls(), {"LPUSH", out(), text}, known);
        };
        std::function<bool()> gives_up = [&known] { return known.is_given_up(); };
        auto pushed = co_await ask_while_waiting(*there_, context_, number, std::move(call), std::move(gives_up));
        if (pushed) {
            context_.passages.resume(number, std::monostate{}, engine::clock::now());
        } else if (known.is_given_up()) {
            outcome failed = message::error{
                "TooLarge",
                "Redis closes the connection when the message, " + std::to_string(text.size()) + " bytes, is pushed",
                {}};
            context_.passages.resume(number, std::move(failed), engine::clock::now());
        }
    }

    processor_context context_;
    std::string server_;
    std::optional<redis::server> there_; // from the first message on
    std::unique_ptr<runtime::large_calls> large_;
};

class asking_exporter final : public redis_exporter {
public:
    asking_exporter(std::string name, const exporter_settings& settings, const processor_context& context)
        : redis_exporter{std::move(name), settings}
        , context_{context}
        , requests_{context.requests_on(settings.redis.value_or(context.server))}
        , answers_{*settings.queue->reply}
        , longest_{settings.timeout.value_or(0)} {}

    step forward(passage& on) override {
        on.limit(longest_);
        auto now = passage::clock::now();
        auto left = on.deadline() - now;
        if (longest_.count() > 0) {
            left = std::min<passage::clock::duration>(left, longest_);
        }
        auto deadline = std::chrono::system_clock::now() + left;
        auto number = on.number();
        requests::question asked{
            .workers = out(),
            .answers = answers_,
            .body = text_of(on),
            .trace_parent = on.meta.trace_parent,
            .deadline = std::chrono::duration_cast<std::chrono::milliseconds>(deadline.time_since_epoch()).count(),
            .max_message_bytes = on.meta.max_message_bytes};
        on.meta.request = requests_.ask(
            std::move(asked), [this, number](message::answer given) { answered(number, std::move(given)); });
        ids_[number] = on.meta.request;
        return step::wait;
    }

    void left(std::uint64_t number) override {
        if (auto found = ids_.extract(number)) {
            requests_.forget(found.mapped());
        }
    }

private:
    void answered(std::uint64_t number, message::answer given) {
        ids_.erase(number);
        outcome how = given.is_json ? content::of_json(std::move(given.body)) : content{std::move(given.body)};
        if (given.error) {
            how = std::move(*given.error);
        }
        context_.passages.resume(number, std::move(how), engine::clock::now());
    }

    processor_context context_;
    requests& requests_;
    std::string answers_;
    std::chrono::milliseconds longest_;
    std::unordered_map<std::uint64_t, std::string> ids_; // of questions, by the messages that wait for them
};

} // namespace

processor_type redis_exporter_type() {
    return processor_type_of<exporter_settings>(
        {.spec = &spec(),
         .is = role::exporter,
         .make = [](std::string name, const exporter_settings& settings, const processor_context& context,
                    const find_route&) -> std::unique_ptr<processor> {
             if (settings.queue->reply) {
                 return std::make_unique<asking_exporter>(std::move(name), settings, context);
             }
             if (settings.redis && *settings.redis != context.server) {
                 return std::make_unique<exporter_elsewhere>(std::move(name), settings, context);
             }
             return std::make_unique<redis_exporter>(std::move(name), settings);
         },
         .needs_redis = [](const exporter_settings& settings) { return settings.queue->reply || settings.redis; },
         .lists = [](const exporter_settings& settings) { return lists_by_role{{"out", {settings.queue->out}}}; }});
}

} // namespace leat::routing
