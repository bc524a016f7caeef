#include "base/task_group.hpp"
#include "config/write.hpp"
#include "message/preview.hpp"
#include "movers/moved_batch.hpp"
#include "movers/mover.hpp"
#include "movers/movers.hpp"
#include "movers/mpush_settings.hpp"
#include "runtime/queue_wait.hpp"
#include "runtime/server_check.hpp"
#include "store/keys.hpp"
#include "store/return_pending.hpp"
#include "store/scripts.hpp"
#include "store/transfer.hpp"
#include "tracking/tracker.hpp"

#include <algorithm>

namespace leat::movers {
namespace {

using boost::asio::awaitable;
using runtime::exit_code;

class mpush final : public runtime::service {
public:
    mpush(runtime::context given, const mpush_settings& settings)
        : context_{std::move(given)}
        , settings_{settings}
        , stop_{context_.executor}
        , server_{context_.redis.server_of(
              redis::parse_url(settings_.redis).value(), context_.client_name, context_.log, stop_)}
        , lanes_{context_.executor, context_.log}
        , tracker_{tracking::create_tracker(context_, settings_, tracked_work(), server_, stop_)}
        , in_{server_.ears(), settings_.in, stop_, tick()} {
        for (const auto& out : settings_.out) {
            outs_.push_back(std::make_unique<runtime::queue_wait>(server_.ears(), out, stop_, tick()));
        }
    }

    awaitable<runtime::outcome> run() override {
        announce();
        co_await server_.await_connection();
        base::task_group beside{context_.executor, context_.log};
        if (tracker_) {
            beside.spawn("tracker", tracker_->run());
        }
        auto ended = exit_code::asked;
        while (!stop_.requested() && ended == exit_code::asked) {
            ended = co_await perform(mover_.next(lanes_.running()));
            if (server_.ears().connection().refused() && ended == exit_code::asked) {
                ended = co_await after_failure(*server_.ears().connection().refused());
            }
        }
        stop(); // a failure ends the lanes, too
        co_await lanes_.wait();
        co_await beside.wait();
        if (tracker_ && tracker_->failed()) {
            ended = exit_code::failed;
        }
        const auto& all = mover_.counted();
        context_.log->info(
            "ended moved={} batches={} full_waits={} failures={}", all.moved, all.batches, all.full_waits,
            server_.failures());
        co_return runtime::outcome{ended};
    }

    void stop() override {
        mover_.stop();
        stop_.request();
        server_.calls().changed().notify_all();
    }

    void registered(std::int64_t id) override {
        if (tracker_) {
            tracker_->registered(id);
        }
    }

    void alone(bool is) override {
        mover_.alone(is);
        stop_.awake().notify_all();
    }

private:
    tracking::tracked_work tracked_work() const {
        return {.source = settings_.in, .outs = settings_.out, .max_length = settings_.max_length, .tick = tick()};
    }

    std::chrono::seconds tick() const { return std::chrono::seconds{settings_.pop_timeout}; }

    awaitable<exit_code> perform(mover::step step) {
        switch (step.is) {
        case mover::action::check:
            co_return co_await check();
        case mover::action::await_lanes:
            co_await lanes_.wait();
            co_return exit_code::asked;
        case mover::action::return_pending:
            co_return co_await return_pending();
        case mover::action::look_at_pending:
            co_return co_await look_at_pending();
        case mover::action::transfer:
            co_return co_await transfer();
        case mover::action::await_message:
            co_await in_.until([this](std::int64_t length) { return length > 0 || mover_.must_return(); });
            break;
        case mover::action::await_room:
            co_await await_room(step.out);
            break;
        case mover::action::await_tracking:
            co_await tracker_->await_room();
            break;
        case mover::action::end:
            break;
        }
        mover_.waited();
        co_return exit_code::asked;
    }

    awaitable<exit_code> check() {
        auto checked = co_await runtime::check_server(server_.calls(), context_.log);
        if (!checked) {
            co_return co_await after_failure(checked.error());
        }
        mover_.checked();
        co_return exit_code::asked;
    }

    awaitable<exit_code> transfer() {
        auto moved = co_await send();
        if (!moved) {
            co_return co_await after_failure(moved.error());
        }
        server_.answered();
        mover_.moved(*moved);
        while (mover_.wants_lane(*moved, lanes_.running() + 1)) {
            lanes_.spawn("transfer", help());
        }
        co_return exit_code::asked;
    }

    awaitable<redis::result<moved_batch>> send() {
        auto flight = mover_.begin(mover::clock::now());
        auto early = flight.slot - mover::clock::now();
        if (early.count() > 0) {
            co_await stop_.awake().wait_for(early);
        }
        if (stop_.requested()) { // nothing new is taken
            mover_.land(flight, std::nullopt, {});
            co_return moved_batch{};
        }
        auto sent = mover::clock::now();
        auto given = call(); // GCC 12 destroys temporaries inside co_await twice
        auto moved = co_await move_batch(server_.calls(), tracker_.get(), std::move(given));
        mover_.land(flight, moved ? std::optional{*moved} : std::nullopt, mover::clock::now() - sent);
        if (moved && !moved->shown.empty()) {
            explain(*moved);
        }
        co_return moved;
    }

    // A second, third ... transfer on the way while there is much to do.
    awaitable<void> help() {
        std::optional<moved_batch> last;
        do {
            auto moved = co_await send();
            last = moved ? std::optional{std::move(*moved)} : std::nullopt;
        } while (mover_.lane_goes_on(last, lanes_.running()));
    }

    // What an original left in `pending` when it died. While another service lives it may be that one's, in flight.
    awaitable<exit_code> return_pending() {
        auto done = co_await store::return_pending(server_.calls(), *settings_.pending, settings_.in);
        if (!done) {
            mover_.return_failed(done.error().kind == redis::error_class::await_repair);
            mover_.looked_at_pending();
            co_return co_await after_failure(done.error());
        }
        mover_.returned(done->moved, done->left);
        if (auto messages = mover_.take_returned(); messages > 0) {
            context_.log->info(
                "returned what a dead program had in flight messages={} pending={} in={}", messages, *settings_.pending,
                settings_.in);
            context_.metrics.add("recovered", messages, settings_.in);
        }
        co_return exit_code::asked;
    }

    // Without a namespace, or with others alive, nobody can know whose they are.
    awaitable<exit_code> look_at_pending() {
        mover_.looked_at_pending();
        auto seen = co_await store::count_pending(server_.calls(), *settings_.pending, settings_.in);
        if (!seen) {
            co_return co_await after_failure(seen.error());
        }
        if (*seen > 0) {
            context_.log->warn(
                "messages lie in pending that another program may have in flight; when it is known to be dead: "
                "leat queue return {} {} messages={}",
                *settings_.pending, settings_.in, *seen);
        }
        co_return exit_code::asked;
    }

    awaitable<exit_code> after_failure(redis::failure failed) {
        if (server_.calls().connected()) { // a lost connection is no error of ours
            auto& errors = context_.metrics.of("error", settings_.in);
            errors.add();
            errors.last(config::to_json(config::value::of_texts({"messagePush", failed.text}), 0));
        }
        bool go_on = co_await server_.after(std::move(failed));
        co_return go_on ? exit_code::asked : exit_code::failed;
    }

    awaitable<void> await_room(std::size_t out) {
        auto most = settings_.max_length;
        if (mover_.waits_for_room(mover::clock::now())) {
            context_.log->warn(
                "an out is full, intake waits out={} maxLength={} full_waits={}", settings_.out[out], most,
                mover_.counted().full_waits);
        }
        co_await outs_[out]->until([most](std::int64_t length) { return length < most; });
    }

    store::transfer_call call() const {
        auto outs = settings_.out.size();
        auto bounds = mover_.tracks() ? store::bounds_for_tracked(outs) : store::bounds_for(outs);
        return {
            .source = settings_.in,
            .outs = settings_.out,
            .max_count = bounds.count,
            .max_bytes = bounds.bytes,
            .largest = mover_.largest(),
            .max_length = settings_.max_length,
            .max_shown = context_.log->should_log(spdlog::level::debug) ? 10 : 0};
    }

    // What the script did, in the commands that the original would have sent.
    void explain(const moved_batch& moved) const {
        const auto pending = settings_.pending.value_or(store::pending_beside(settings_.in));
        for (const auto& payload : moved.shown) {
            auto text = message::preview(payload);
            context_.log->debug("brpoplpush {} {} {}", settings_.in, pending, settings_.pop_timeout);
            for (const auto& out : settings_.out) {
                context_.log->debug("lpush {} {}", out, text);
            }
            context_.log->debug("lrem {} -1 {}", pending, text);
        }
        auto more = moved.moved - static_cast<std::int64_t>(moved.shown.size());
        if (more > 0) {
            context_.log->debug("... and {} more messages of the same batch", more);
        }
    }

    // The two lines that the original prints at start, in its own form.
    void announce() const {
        static const std::vector<std::string> default_props{"serviceExpire", "serviceRenew",   "serviceCapacity",
                                                            "messageExpire", "messageTimeout", "messageCapacity"};
        static const std::vector<std::string> unknown_to_it{"maxLength", "await", "overCapacity"};
        config::value props = config::value::of_map();
        config::value defaults = config::value::of_map();
        auto usual = mpush_spec().normalised(config::value::of_map());
        for (const auto& entry : context_.shown.entries()) {
            bool is_default_prop = std::ranges::find(default_props, entry.key) != default_props.end();
            const auto* usually =
                std::ranges::find(unknown_to_it, entry.key) != unknown_to_it.end() ? usual.find(entry.key) : nullptr;
            if (!is_default_prop && !(usually && config::same_content(*usually, entry.value))) {
                props.set(entry.key, entry.value);
            }
        }
        for (const auto& name : default_props) {
            defaults.set(name, *usual.find(name));
        }
        base::create_log("App")->info("config {}", config::inspect(props));
        base::create_log("Service")->info("\n    defaultProps {}", config::inspect(defaults));
    }

    runtime::context context_;
    mpush_settings settings_;
    base::stop_signal stop_;
    redis::server server_;
    base::task_group lanes_;
    std::unique_ptr<tracking::tracker> tracker_;
    mover mover_{settings_.pending.has_value(), tracker_ != nullptr};
    runtime::queue_wait in_;
    std::vector<std::unique_ptr<runtime::queue_wait>> outs_;
};

runtime::service_queues queues_of(const mpush_settings& settings) {
    runtime::service_queues queues{
        redis::parse_url(settings.redis).value(), {{"in", {settings.in}}, {"out", settings.out}}};
    if (settings.pending) {
        queues.roles.push_back({"pending", {*settings.pending}});
    }
    if (settings.service_namespace) {
        queues.roles.push_back({"done", {tracking::done_of(settings)}});
        if (settings.retry) {
            queues.roles.push_back({"dead", {tracking::dead_of(settings)}});
        }
    }
    return queues;
}

} // namespace

runtime::kind mpush_kind() {
    return runtime::kind_of<mpush_settings>(
        {.spec = runtime::lasting(mpush_spec()),
         .make = [](const runtime::context& given,
                    const mpush_settings& settings) { return std::make_unique<mpush>(given, settings); },
         .queues = &queues_of,
         .forwards =
             [](const mpush_settings& settings) {
                 return std::vector<runtime::forwarding>{{settings.redis, settings.in, settings.out}};
             }});
}

} // namespace leat::movers
