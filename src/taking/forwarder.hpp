#pragma once

#include "redis/link.hpp"
#include "store/keys.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace leat::taking {

// Brings messages whose delay is over back to their queue. It knows when the next is due; the work loop calls it then.
class forwarder {
public:
    using clock = std::chrono::steady_clock;

    forwarder(redis::link& server, store::taking_keys keys, std::string source);

    clock::time_point due() const { return due_; }
    void due_in(std::int64_t milliseconds); // negative: nothing waits
    // One call. How many were brought back.
    boost::asio::awaitable<redis::result<std::int64_t>> forward();

private:
    redis::link& server_;
    store::taking_keys keys_;
    std::string source_;
    clock::time_point due_ = clock::time_point::max();
};

} // namespace leat::taking
