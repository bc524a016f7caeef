#include "routing/asking.hpp"
#include "routing/processors.hpp"
#include "routing/rate_limiter.hpp"
#include "store/scripts.hpp"

namespace leat::routing {
namespace {

struct rate_limit_settings : described {
    std::int64_t limit = 0;
    std::int64_t period = 1000;
    std::string algorithm = "fixedWindow";
    std::optional<std::int64_t> burst;
    std::optional<std::string> shared;
    std::optional<drop_queue> queue;
};

void check(const rate_limit_settings& given, const config::reporter& at) {
    if (given.algorithm == "tokenBucket" && given.period == 0) {
        at.error("periodMillis", "a tokenBucket fills in some time: periodMillis must not be 0");
    }
    if (given.burst && given.algorithm != "tokenBucket") {
        at.warning("burst", "burst has no effect without algorithm: tokenBucket");
    }
}

const config::spec<rate_limit_settings>& spec() {
    using settings = rate_limit_settings;
    static const config::spec<settings> made{
        "RateLimitFilter",
        "Lets so many messages through in a time.",
        R"(What is beyond `limit` fails with `LimitExceeded: Limit exceeded`, and goes where its importer sends failures; with
`queue.drop` it is also pushed there, as JSON.

With `fixedWindow` the limit counts from the first message of a period, and what was refused counts, too. With `tokenBucket`
messages are let through evenly, `burst` at once after a quiet time.

The limit is one process's own, and starts again with a reload. With `shared` it is one limit for all that name the same key, counted in Redis.
)",
        {description_field(),
         config::field("limit", &settings::limit, "Messages in a period.")
             .required()
             .range(1, 1'000'000'000)
             .example(std::int64_t{100}),
         config::field("periodMillis", &settings::period, "Length of a period; 0: it never ends.")
             .range(0, 86'400'000)
             .unit("ms"),
         config::field("algorithm", &settings::algorithm, "How it is counted.").choices({"fixedWindow", "tokenBucket"}),
         config::field("burst", &settings::burst, "Of a tokenBucket: messages that may come at once. Default: limit.")
             .range(1, 1'000'000'000)
             .example(std::int64_t{10}),
         config::field("shared", &settings::shared, "Key in Redis under which the limit is counted for all processes.")
             .not_empty()
             .example("limits:orders"),
         config::group("queue", &settings::queue, "Lists.", drop_fields("List for what was refused.", "orders:drop"))},
        {{"a hundred in a second", "limit: 100\nperiodMillis: 1000\n"},
         {"evenly, for all processes, and what is refused is kept",
          "limit: 50\nperiodMillis: 1000\nalgorithm: tokenBucket\nburst: 10\nshared: limits:orders\n"
          "queue: {drop: orders:drop}\n"}},
        &check};
    return made;
}

class rate_limit_filter : public processor {
public:
    rate_limit_filter(std::string name, const rate_limit_settings& settings)
        : processor{std::move(name)} {
        if (settings.queue) {
            drop_ = settings.queue->drop;
        }
    }

protected:
    step refuse(passage& on) const {
        if (drop_) {
            on.writes.push_back({.to = *drop_, .text = as_json(on.message), .if_it_is = write::when::failed});
        }
        return on.fail("LimitExceeded", "Limit exceeded");
    }

private:
    std::optional<std::string> drop_;
};

template <class Limiter>
class own_limit final : public rate_limit_filter {
public:
    own_limit(std::string name, const rate_limit_settings& settings, Limiter limiter)
        : rate_limit_filter{std::move(name), settings}
        , limiter_{limiter} {}

    step forward(passage& on) override { return limiter_.admit(on.now()) ? step::pass : refuse(on); }

private:
    Limiter limiter_;
};

class shared_limit final : public rate_limit_filter {
public:
    shared_limit(std::string name, const rate_limit_settings& settings, const processor_context& context)
        : rate_limit_filter{std::move(name), settings}
        , context_{context}
        , call_{
              .counter = *settings.shared,
              .limit = settings.limit,
              .period = settings.period,
              .burst = settings.algorithm == "tokenBucket" ? settings.burst.value_or(settings.limit) : 0} {}

    step forward(passage& on) override {
        context_.spawn("ask for a limit", ask(on.number()));
        return step::wait;
    }

private:
    boost::asio::awaitable<void> ask(std::uint64_t number) {
        if (!server_) {
            server_.emplace(context_.server_of(context_.server, "a shared rate limit cannot be asked for"));
        }
        std::function<boost::asio::awaitable<redis::result<store::limit_rate_outcome>>()> call = [this] {
            return store::limit_rate(server_->calls(), call_);
        };
        auto answer = co_await ask_while_waiting(*server_, context_, number, std::move(call));
        auto* on = context_.passages.find(number);
        if (!answer || on == nullptr) {
            co_return;
        }
        if (answer->admitted) {
            context_.passages.go_on(number, engine::clock::now());
        } else {
            refuse(*on);
            auto refused = std::move(on->outcome);
            context_.passages.resume(number, std::move(refused), engine::clock::now());
        }
    }

    processor_context context_;
    std::optional<redis::server> server_; // from the first message on
    store::limit_rate_call call_;
};

std::unique_ptr<processor> make(
    std::string name, const rate_limit_settings& settings, const processor_context& context,
    const find_route& /*find*/) {
    std::chrono::milliseconds period{settings.period};
    if (settings.shared) {
        return std::make_unique<shared_limit>(std::move(name), settings, context);
    }
    if (settings.algorithm == "tokenBucket") {
        token_bucket limiter{settings.limit, period, settings.burst.value_or(settings.limit)};
        return std::make_unique<own_limit<token_bucket>>(std::move(name), settings, limiter);
    }
    return std::make_unique<own_limit<fixed_window>>(std::move(name), settings, fixed_window{settings.limit, period});
}

} // namespace

processor_type rate_limit_filter_type() {
    return processor_type_of<rate_limit_settings>(
        {.spec = &spec(), .is = role::filter, .make = &make, .needs_redis = [](const rate_limit_settings& settings) {
             return settings.shared.has_value();
         }});
}

} // namespace leat::routing
