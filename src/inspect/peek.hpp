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

// Reads a list in pages, and remembers its largest message, so that none is cut shorter than it must be.
class page_reader {
public:
    page_reader(redis::link& server, std::string queue)
        : server_{server}
        , queue_{std::move(queue)} {}

    // Without the oldest `first`, at most so many; none when there are no more.
    boost::asio::awaitable<std::vector<store::peeked_message>> read(std::int64_t first, std::int64_t most);

    std::int64_t length() const { return length_; } // of the list, when it was last read

private:
    redis::link& server_;
    std::string queue_;
    std::int64_t length_ = 0;
    std::int64_t largest_ = 0;
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
    std::int64_t now = 0; // the server's time
};

// Looks without taking.
boost::asio::awaitable<peeking> peek(redis::link& server, peek_range range, peek_filter wanted);

// Which messages of a list are counted, from the oldest on.
struct count_range {
    std::string queue;
    std::int64_t scan = 0; // look at so many
    std::int64_t most = 0; // stop when so many are found; 0: never
};
// `looked` hears after each page how many were looked at.
boost::asio::awaitable<std::int64_t> count_messages(
    redis::link& server, count_range range, std::function<bool(const store::peeked_message&)> wanted,
    std::function<void(std::int64_t)> looked);

// Of a list; what is none is a trouble.
boost::asio::awaitable<std::int64_t> length_of(redis::link& server, std::string list);

// In seconds since 1970.
boost::asio::awaitable<std::int64_t> server_seconds(redis::link& server);

config::value as_value(const peeking& seen);

} // namespace leat::inspect
