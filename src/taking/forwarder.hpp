#pragma once

#include "redis/server.hpp"
#include "store/keys.hpp"
#include "taking/taking_counts.hpp"

#include <boost/asio/awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace leat::taking {

// Brings messages whose delay is over back to their queue. It knows when the next is due; the work loop calls it then.
class forwarder {
public:
    using clock = std::chrono::steady_clock;

    forwarder(redis::server server, store::taking_keys keys, std::string source, taking_counts& counts);

    clock::time_point due() const { return std::max(due_, not_before_); }
    void due_in(std::int64_t milliseconds); // negative: nothing waits
    // One call. How many were brought back; a refusal is seen to here.
    boost::asio::awaitable<redis::result<std::int64_t>> forward();

private:
    redis::server server_;
    store::taking_keys keys_;
    std::string source_;
    taking_counts& counts_;
    clock::time_point due_ = clock::time_point::max();
    clock::time_point not_before_; // after a failure
};

} // namespace leat::taking
