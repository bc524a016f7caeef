#pragma once

#include "base/log.hpp"
#include "base/stop_signal.hpp"
#include "base/task_group.hpp"
#include "bridge/sync_channel.hpp"
#include "redis/server.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace leat::bridge {

// When the agent looks without being told to: first at a random second of the minute, so that instances that were
// started together do not look together, then at the interval. Pure.
class turn_schedule {
public:
    using clock = std::chrono::steady_clock;
    // `second` is from 0 to 59; `of_minute` is where the wall clock stands in its minute.
    turn_schedule(
        std::chrono::milliseconds interval, int second, std::chrono::milliseconds of_minute, clock::time_point now);

    clock::time_point next() const { return next_; }
    bool due(clock::time_point now) const { return now >= next_; }
    void done(clock::time_point now); // the turn that was due is over

private:
    std::chrono::milliseconds interval_;
    clock::time_point next_;
};

// Looks after what is due: leases that ended, waits that are over, retries, and what nobody had room for. It sleeps
// until the first date of pendingMessages, hears when anybody changes that, and looks at its turns whatever it heard.
// While there are responses it lets Redis know every second that somebody serves.
// One in each instance; a script gives each message to one of them. Owned by the instance.
class awaited_agent {
public:
    struct options {
        std::chrono::milliseconds interval{20'000}; // AWAITED_MESSAGES_INTERVAL
        std::int64_t by_turn = 15;                  // AWAITED_MESSAGES_BY_TURN: of one call
        std::chrono::milliseconds tick{200};        // INTERVAL: how often it looks while it hears nothing
        std::chrono::milliseconds idle{1'000}; // CHECK_QUEUE_INTERVAL: ... but not when nothing is there for so long
        std::function<bool()> has_room;
        // When there will be some, though nobody calls `wake`; may be left out.
        std::function<std::optional<std::chrono::steady_clock::time_point>()> room_at = {};
    };

    // `server` is the channel's own.
    awaited_agent(sync_channel& channel, redis::server server, base::stop_signal& stop, base::log_ptr log, options how);

    boost::asio::awaitable<void> run();
    // As another call has learned: so many milliseconds until the first date (-1: none), and whether something could go
    // at once.
    void told(std::int64_t due, bool ready);
    // There is room again.
    void wake();

private:
    using clock = std::chrono::steady_clock;
    boost::asio::awaitable<void> look();
    boost::asio::awaitable<void> collect(std::int64_t most, std::int64_t& seen);
    clock::time_point beat_at() const;
    boost::asio::awaitable<void> sleep();
    boost::asio::awaitable<void> listen();
    void set_due(std::int64_t milliseconds);
    bool is_due(clock::time_point now) const { return due_ && now >= *due_; }

    sync_channel& channel_;
    redis::server server_;
    base::stop_signal& stop_;
    base::log_ptr log_;
    options how_;
    redis::listener::watch watch_;
    turn_schedule turns_;
    base::task_group reads_;  // by the listener, which may hang
    std::uint64_t heard_ = 0; // changes before the last read
    bool listening_ = false;  // a read has registered the key, and no change came since
    bool reading_ = false;
    std::optional<clock::time_point> due_;
    clock::time_point read_at_;
    clock::time_point beaten_at_; // the last call of ours
    clock::time_point busy_at_;   // something was there
};

} // namespace leat::bridge
