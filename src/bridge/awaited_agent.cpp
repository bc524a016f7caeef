#include "bridge/awaited_agent.hpp"

#include "store/keys.hpp"

#include <algorithm>
#include <random>

namespace leat::bridge {

using boost::asio::awaitable;
using namespace std::chrono_literals;

namespace {

constexpr auto between_reads = 5ms;    // however often others change pendingMessages
constexpr auto between_beats = 1000ms; // a fifth of what bridge_service.lua takes for a time without service

int random_second() {
    std::random_device source;
    return std::uniform_int_distribution<int>{0, 59}(source);
}

std::chrono::milliseconds of_minute() {
    auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now) % 1min;
}

} // namespace

turn_schedule::turn_schedule(
    std::chrono::milliseconds interval, int second, std::chrono::milliseconds of_minute, clock::time_point now)
    : interval_{interval} {
    auto wait = std::chrono::milliseconds{std::chrono::seconds{second}} - of_minute;
    next_ = now + (wait.count() < 0 ? wait + 1min : wait);
}

void turn_schedule::done(clock::time_point now) {
    next_ = std::max(next_ + interval_, now); // one that took longer is not made up for
}

awaited_agent::awaited_agent(
    sync_channel& channel, redis::server server, base::stop_signal& stop, base::log_ptr log, options how)
    : channel_{channel}
    , server_{std::move(server)}
    , stop_{stop}
    , log_{std::move(log)}
    , how_{std::move(how)}
    , watch_{server_.ears(), store::bridge_keys{channel.setup().prefix}.pending(), stop.awake()}
    , turns_{how_.interval, random_second(), of_minute(), clock::now()}
    , reads_{server_.ears().connection().changed().executor(), log_}
    , busy_at_{clock::now()} {
}

void awaited_agent::set_due(std::int64_t milliseconds) {
    auto now = clock::now();
    if (milliseconds < 0) {
        due_.reset();
        return;
    }
    busy_at_ = now;
    due_ = now + std::chrono::milliseconds{milliseconds};
}

void awaited_agent::told(std::int64_t due, bool ready) {
    auto before = due_;
    set_due(due);
    if (ready || (due_ && (!before || *due_ < *before))) {
        stop_.awake().notify_all();
    }
}

void awaited_agent::wake() {
    stop_.awake().notify_all();
}

awaitable<void> awaited_agent::run() {
    while (!stop_.requested()) {
        auto now = clock::now();
        bool turn = turns_.due(now);
        bool blind =
            !server_.ears().connection().connected() && now - busy_at_ < how_.idle && now - read_at_ >= how_.tick;
        if ((turn || is_due(now) || blind) && how_.has_room()) {
            co_await look();
            if (turn) {
                turns_.done(clock::now());
            }
        } else if (now >= beat_at()) {
            std::int64_t none = 0;
            co_await collect(0, none);
        } else {
            co_await sleep();
        }
    }
    co_await reads_.wait();
}

awaited_agent::clock::time_point awaited_agent::beat_at() const {
    return due_ ? std::max(channel_.answered_at(), beaten_at_) + between_beats : clock::time_point::max();
}

// Batches, until one is not full.
awaitable<void> awaited_agent::look() {
    read_at_ = clock::now();
    for (;;) {
        std::int64_t seen = 0;
        co_await collect(how_.by_turn, seen);
        if (seen < how_.by_turn || !how_.has_room() || stop_.requested()) {
            co_return;
        }
    }
}

awaitable<void> awaited_agent::collect(std::int64_t most, std::int64_t& seen) {
    beaten_at_ = clock::now();
    auto outcome = co_await channel_.collect(most);
    if (outcome) {
        server_.answered();
        set_due(outcome->due);
        seen = outcome->seen;
        co_return;
    }
    co_await server_.wait_after(outcome.error());
    due_ = clock::now();
}

// Registers the key with the listener, so that the next change of it is heard; what it reads is the first date.
awaitable<void> awaited_agent::listen() {
    heard_ = watch_.changes();
    auto due = co_await watch_.until_first();
    reading_ = false;
    read_at_ = clock::now();
    if (due) {
        listening_ = true;
        set_due(*due);
    }
    stop_.awake().notify_all();
}

awaitable<void> awaited_agent::sleep() {
    auto now = clock::now();
    if (watch_.changes() != heard_) {
        listening_ = false;
    }
    bool can_listen = server_.ears().connection().connected() && !listening_ && !reading_;
    if (can_listen && now - read_at_ >= between_reads) {
        reading_ = true;
        can_listen = false;
        reads_.spawn("read the first date", listen());
    }
    auto until = turns_.next();
    if (can_listen) {
        until = std::min(until, read_at_ + between_reads);
    } else if (!server_.ears().connection().connected()) {
        until = std::min(until, now + how_.tick);
    }
    if (due_ && how_.has_room()) {
        until = std::min(until, *due_);
    }
    if (!how_.has_room()) { // somebody wakes us when there is, or it comes with time
        until = std::max(until, now + how_.tick);
        auto room_at = how_.room_at ? how_.room_at() : std::nullopt;
        until = room_at ? std::min(until, *room_at) : until;
    }
    until = std::min(until, beat_at());
    if (until > now && !stop_.requested()) {
        co_await stop_.awake().wait_for(until - now);
    }
}

} // namespace leat::bridge
