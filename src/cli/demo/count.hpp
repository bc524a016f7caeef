#pragma once

#include "redis/link.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace leat::cli {

// Messages of the demo are the numbers 1 to `sent`, published in that order.
struct demo_count {
    std::int64_t held = 0;
    std::int64_t lost = 0;
    std::int64_t duplicated = 0;
    std::int64_t reordered = 0;
};

// Reads a whole list, a page at a time, oldest first, and counts what is wrong with it.
boost::asio::awaitable<redis::result<demo_count>> count_messages(
    redis::link& server, std::string key, std::int64_t sent);

} // namespace leat::cli
