#pragma once

#include "base/task_group.hpp"
#include "bridge/memory_queue_manager.hpp"
#include "modes.hpp"
#include "runtime/connections.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>

namespace leat::bench {

constexpr const char* origin = "bench";
constexpr const char* prefix = "bridge:queue:";

// A program with a bridge inside, as a user would write it. Never ended but by a kill.
class instance {
public:
    instance(const words& given, bridge::memory_queue_manager::tasks what);

    bridge::memory_queue_manager& manager() { return manager_; }
    bridge::message_sync& sync() { return manager_.sync(); }
    void spawn(boost::asio::awaitable<void> task) { tasks_.spawn("bench", std::move(task)); }
    // Milliseconds since 1970, by the clock that Redis reads, too.
    static double wall();
    boost::asio::awaitable<void> rest(std::chrono::microseconds length);
    boost::asio::awaitable<std::int64_t> ask_whole(redis::command words);

    // Connects, lets the manager run if it is to, then runs `main`.
    void run(std::function<boost::asio::awaitable<void>()> main, bool with_manager = true);
    void start() { tasks_.spawn("manager", manager_.run()); }

private:
    boost::asio::awaitable<void> begin(std::function<boost::asio::awaitable<void>()> main, bool with_manager);

    boost::asio::io_context io_{1};
    base::log_ptr log_;
    runtime::connections connections_;
    redis::url url_;
    redis::link& link_;
    redis::listener& listener_;
    base::task_group tasks_;
    bridge::memory_queue_manager manager_;
};

// Ends the program: what cannot be is.
[[noreturn]] void give_up(const std::string& reason);

} // namespace leat::bench
