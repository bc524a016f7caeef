#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace leat::store {

// Returns a batch of what a program left in `pending` to the front of `source`. When the answer is lost nothing is: ask
// again. Nobody may be at work on `pending`, or what it has in hand is delivered twice.
boost::asio::awaitable<redis::result<return_pending_outcome>> return_pending(
    redis::link& server, std::string pending, std::string source);

// How many there are.
boost::asio::awaitable<redis::result<std::int64_t>> count_pending(
    redis::link& server, std::string pending, std::string source);

} // namespace leat::store
