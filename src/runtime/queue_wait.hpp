#pragma once

#include "base/notice.hpp"
#include "redis/listener.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace leat::runtime {

// Waits until the length of a list satisfies somebody, without taking from it. Returns also when `awake` says that the
// service is to stop, and after about a second while the listener has no connection: the caller looks for itself then.
class queue_wait {
public:
    // `tick` bounds how long a missed hint can go unnoticed (popTimeout).
    queue_wait(redis::listener& listener, std::string key, base::notice& awake, std::chrono::seconds tick);

    boost::asio::awaitable<void> until(std::function<bool(std::int64_t length)> enough, const bool& stopping);

private:
    redis::listener::watch watch_;
    base::notice& awake_;
    std::chrono::seconds tick_;
};

} // namespace leat::runtime
