#include "base/task_group.hpp"
#include "config/write.hpp"
#include "message/preview.hpp"
#include "movers/flight_window.hpp"
#include "movers/moved_batch.hpp"
#include "movers/movers.hpp"
#include "movers/mpush_settings.hpp"
#include "movers/next_step.hpp"
#include "runtime/queue_wait.hpp"
#include "runtime/registered_service.hpp"
#include "runtime/server_check.hpp"
#include "store/return_pending.hpp"
#include "store/transfer.hpp"
#include "tracking/tracker.hpp"

#include <algorithm>

namespace leat::movers {
namespace {

using boost::asio::awaitable;
using runtime::exit_code;

class mpush final : public runtime::service {
public:
    mpush(runtime::context given, const config::value& settings)
        : context_{std::move(given)}
        , shown_{mpush_spec().normalised(settings)}
        , settings_{read(settings).value()}
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
            ended = co_await step();
        }
        stop_.request(); // a failure ends the lanes, too
        co_await lanes_.wait();
        co_await beside.wait();
        if (tracker_ && tracker_->failed()) {
            ended = exit_code::failed;
        }
        context_.log->info(
            "ended moved={} batches={} full_waits={} failures={}", moved_, batches_, full_waits_, server_.failures());
        co_return runtime::outcome{ended};
    }

    void stop() override {
        stop_.request();
        server_.calls().changed().notify_all();
    }

    void registered(std::int64_t id) override {
        if (tracker_) {
            tracker_->registered(id);
        }
    }

    void alone(bool is) override {
        alone_ = is;
        stop_.awake().notify_all();
    }

private:
    static std::optional<mpush_settings> read(const config::value& settings) {
        config::problems none; // the settings have passed lint
        return mpush_spec().read(settings, none);
    }

    tracking::tracked_work tracked_work() const {
        return {.origin = settings_.in, .outs = settings_.out, .max_length = settings_.max_length, .tick = tick()};
    }

    std::chrono::seconds tick() const { return std::chrono::seconds{settings_.pop_timeout}; }

    // One transfer, and what must be waited for before the next.
    awaitable<exit_code> step() {
        if (!checked_) {
            auto checked = co_await runtime::check_server(server_.calls(), context_.log);
            if (!checked && checked.error().kind == redis::error_class::stop) {
                co_return co_await give_up_or_wait(checked.error());
            }
            checked_ = server_.calls().connected();
        }
        auto looked = co_await look_at_pending();
        if (!looked) {
            co_return co_await give_up_or_wait(looked.error());
        }
        auto moved = co_await transfer();
        if (!moved) {
            co_return co_await give_up_or_wait(moved.error());
        }
        server_.answered();
        switch (next_step_after(*moved)) {
        case next_step::transfer:
            while (wants_lane(*moved, lanes_.running() + 1)) {
                lanes_.spawn("transfer", help());
            }
            break;
        case next_step::await_message:
            co_await in_.until([this](std::int64_t length) { return length > 0 || must_return(); });
            break;
        case next_step::await_room:
            co_await await_room(static_cast<std::size_t>(moved->full) - 1);
            break;
        case next_step::await_tracking:
            co_await tracker_->await_room();
            break;
        }
        if (server_.ears().connection().refused()) {
            co_return co_await give_up_or_wait(*server_.ears().connection().refused());
        }
        co_return exit_code::asked;
    }

    awaitable<redis::result<moved_batch>> transfer() {
        ++in_flight_;
        auto together = in_flight_;
        co_await await_slot();
        if (stop_.requested()) {
            --in_flight_;
            co_return moved_batch{}; // nothing new is taken
        }
        auto sent = std::chrono::steady_clock::now();
        auto given = call(); // GCC 12 destroys temporaries inside co_await twice
        auto moved = co_await move_batch(server_.calls(), tracker_.get(), std::move(given));
        --in_flight_;
        if (moved) {
            count(*moved);
            if (moved->left > 0) {
                auto took = std::chrono::steady_clock::now() - sent;
                window_.answered(took, std::chrono::microseconds{moved->spent}, together);
            }
        }
        co_return moved;
    }

    awaitable<void> await_slot() {
        auto now = std::chrono::steady_clock::now();
        next_slot_ = std::max(now, next_slot_ + window_.spacing());
        if (next_slot_ > now) {
            co_await stop_.awake().wait_for(next_slot_ - now);
        }
    }

    // Whether one more call at a time finds work, beside so many.
    bool wants_lane(const moved_batch& moved, std::size_t lanes) const {
        auto taken = static_cast<std::int64_t>(lanes) * moved.moved;
        return static_cast<int>(lanes) < window_.size() && moved.moved > 0 && moved.left > taken;
    }

    // A second, third ... call on the way while there is much to do. Whatever goes wrong the first one meets, too.
    awaitable<void> help() {
        while (!stop_.requested() && !must_return()) {
            auto moved = co_await transfer();
            if (!moved || next_step_after(*moved) != next_step::transfer || !wants_lane(*moved, lanes_.running())) {
                break;
            }
        }
    }

    bool must_return() const { return alone_ && settings_.pending; }

    awaitable<redis::result<bool>> look_at_pending() {
        if (must_return()) {
            co_await lanes_.wait(); // they would take the newer before the older is back
        }
        if (must_return()) {
            co_return co_await return_leftovers();
        }
        if (settings_.pending && !looked_) {
            co_return co_await tell_leftovers();
        }
        co_return true;
    }

    // What an original left in `pending` when it died. While another service lives it may be that one's, in hand.
    awaitable<redis::result<bool>> return_leftovers() {
        looked_ = true;
        std::int64_t moved = 0;
        for (;;) {
            auto returned = co_await store::return_pending(server_.calls(), *settings_.pending, settings_.in);
            if (!returned) {
                // What is newer must not overtake them, so they are tried again first; but a list that needs repair
                // holds nothing up.
                alone_ = alone_ && returned.error().kind != redis::error_class::await_repair;
                co_return returned.error();
            }
            moved += returned->moved;
            if (returned->left == 0 || stop_.requested() || !alone_) {
                break;
            }
        }
        alone_ = false; // until the next heartbeat
        if (moved > 0) {
            context_.log->info(
                "returned what a dead program had in hand messages={} pending={} in={}", moved, *settings_.pending,
                settings_.in);
            if (tracker_) {
                co_await tracker_->count_recovered(moved);
            }
        }
        co_return true;
    }

    // Without a namespace, or with others alive, nobody can know whose they are.
    awaitable<redis::result<bool>> tell_leftovers() {
        looked_ = true;
        auto seen = co_await store::count_pending(server_.calls(), *settings_.pending, settings_.in);
        if (!seen) {
            co_return seen.error();
        }
        if (*seen > 0) {
            context_.log->warn(
                "messages lie in pending that another program may have in hand; when it is known to be dead: "
                "leat queue return {} {} messages={}",
                *settings_.pending, settings_.in, *seen);
        }
        co_return true;
    }

    awaitable<exit_code> give_up_or_wait(redis::failure failed) {
        if (tracker_ && server_.calls().connected()) { // a lost connection is no error of ours
            auto last = config::to_json(config::value::of_texts({"messagePush", failed.text}), 0);
            co_await tracker_->count_error(std::move(last));
        }
        bool go_on = co_await server_.after(std::move(failed));
        co_return go_on ? exit_code::asked : exit_code::failed;
    }

    awaitable<void> await_room(std::size_t out) {
        ++full_waits_;
        // A subscriber that takes one at a time makes it full again and again: told at most every ten seconds.
        auto now = std::chrono::steady_clock::now();
        if (!told_full_ || now - *told_full_ > std::chrono::seconds{10}) {
            told_full_ = now;
            context_.log->warn(
                "an out is full, intake waits out={} maxLength={} full_waits={}", settings_.out[out],
                settings_.max_length, full_waits_);
        }
        auto most = settings_.max_length;
        co_await outs_[out]->until([most](std::int64_t length) { return length < most; });
    }

    store::scripts::transfer_call call() const {
        auto outs = settings_.out.size();
        auto bounds = tracks_ ? store::bounds_for_tracked(outs) : store::bounds_for(outs);
        return {
            .source = settings_.in,
            .outs = settings_.out,
            .max_count = bounds.count,
            .max_bytes = bounds.bytes,
            .largest = largest_,
            .max_length = settings_.max_length,
            .max_shown = context_.log->should_log(spdlog::level::debug) ? 10 : 0};
    }

    void count(const moved_batch& moved) {
        moved_ += static_cast<std::uint64_t>(moved.moved);
        tracks_ = moved.tracked > 0 || (tracker_ && moved.moved == 0); // beyond its capacity it costs little
        batches_ += moved.moved > 0 ? 1 : 0;
        largest_ = std::max(moved.largest, largest_ - largest_ / 8); // forgotten slowly: large ones come in company
        if (!moved.shown.empty()) {
            explain(moved);
        }
    }

    // What the script did, in the commands that the original would have sent.
    void explain(const moved_batch& moved) const {
        const auto pending = settings_.pending.value_or(settings_.in + ":pending");
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
        for (const auto& entry : shown_.entries()) {
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
    config::value shown_;
    mpush_settings settings_;
    base::stop_signal stop_;
    redis::server server_;
    base::task_group lanes_;
    std::unique_ptr<tracking::tracker> tracker_;
    bool tracks_ = tracker_ != nullptr; // the last batch was tracked
    flight_window window_;
    int in_flight_ = 0;
    std::chrono::steady_clock::time_point next_slot_; // when the next call may go
    runtime::queue_wait in_;
    std::vector<std::unique_ptr<runtime::queue_wait>> outs_;
    bool checked_ = false;
    bool looked_ = false; // at `pending`
    bool alone_ = false;  // nobody else is registered, and nobody has looked at `pending` since
    std::uint64_t moved_ = 0;
    std::uint64_t batches_ = 0;
    std::int64_t largest_ = 0;
    std::uint64_t full_waits_ = 0;
    std::optional<std::chrono::steady_clock::time_point> told_full_;
};

std::unique_ptr<runtime::service> make_mpush(const runtime::context& given, const config::value& settings) {
    config::problems none;
    auto read = mpush_spec().read(settings, none).value();
    runtime::service_queues queues{redis::parse_url(read.redis).value(), {{"in", {read.in}}, {"out", read.out}}};
    if (read.pending) {
        queues.roles.push_back({"pending", {*read.pending}});
    }
    if (read.service_namespace) {
        queues.roles.push_back({"done", {tracking::done_of(read)}});
        if (read.retry) {
            queues.roles.push_back({"dead", {tracking::dead_of(read)}});
        }
    }
    auto inner = std::make_unique<mpush>(given, settings);
    return runtime::under_registration(given, read, std::move(queues), std::move(inner));
}

std::vector<runtime::forwarding> forwards(const config::value& settings) {
    config::problems none;
    auto read = mpush_spec().read(settings, none).value();
    return {{read.redis, read.in, read.out}};
}

} // namespace

runtime::kind mpush_kind() {
    return {&mpush_spec(), &make_mpush, &forwards};
}

} // namespace leat::movers
