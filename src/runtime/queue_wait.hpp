#pragma once

#include "base/stop_signal.hpp"
#include "redis/listener.hpp"
#include "runtime/wait_plan.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace leat::runtime {

// Waits until the length of a list satisfies somebody, without taking from it. Returns also when the service is to
// stop, and when nothing was heard for a tick (a second while the listener has no connection): then the caller looks
// for itself, over its own connection, because the listener may hang on a server that is no longer the one; a read that
// hangs there delays nobody. `wait_plan` decides.
class queue_wait {
public:
    // `tick` is popTimeout.
    queue_wait(redis::listener& listener, std::string key, base::stop_signal& stop, std::chrono::seconds tick);
    queue_wait(const queue_wait&) = delete;
    queue_wait& operator=(const queue_wait&) = delete;
    ~queue_wait();

    boost::asio::awaitable<void> until(std::function<bool(std::int64_t length)> enough);
    // Likewise, but no longer than `latest`, and not when something else is to be done: asked at each wake of `stop`.
    boost::asio::awaitable<void> until(
        std::function<bool(std::int64_t length)> enough, std::function<bool()> interrupted,
        std::chrono::steady_clock::time_point latest);

private:
    // Outlives the wait when a question hangs.
    struct reading {
        wait_plan plan;
        bool left = false; // the wait is gone, and with it whom to wake
    };
    void read();

    redis::listener& listener_;
    std::string key_;
    redis::listener::watch watch_;
    std::shared_ptr<reading> reading_;
    base::stop_signal& stop_;
};

} // namespace leat::runtime
