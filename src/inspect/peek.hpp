#pragma once

#include "config/value.hpp"
#include "redis/link.hpp"
#include "store/queues.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace leat::inspect {

// Which messages of a list are looked at, and how many are found at most.
struct peek_range {
    std::string queue;
    std::int64_t count = 10;
    std::int64_t skip = 0; // so many at that end
    std::int64_t scan = 0; // look at so many; 0: at `count`
    bool newest = false;   // from the other end, newest first
};

// Whether a message is meant; the second is the server's time in seconds.
using peek_filter = std::function<bool(const store::peeked_message&, std::int64_t)>;

struct seen_message {
    std::int64_t place = 0; // how many are older
    store::peeked_message what;
};

struct peeking {
    std::vector<seen_message> found;
    std::int64_t length = 0;
    std::int64_t looked = 0;
    std::int64_t scan = 0;
    std::int64_t largest = 0;
    std::int64_t now = 0; // the server's time
};

// Looks without taking.
boost::asio::awaitable<peeking> peek(redis::link& server, peek_range range, peek_filter wanted);

// In seconds since 1970.
boost::asio::awaitable<std::int64_t> server_seconds(redis::link& server);

config::value as_value(const peeking& seen);

} // namespace leat::inspect
