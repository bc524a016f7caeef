#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace leat::store {

// A consumer's lease: while the hash `key` has this token, what it took is its own.
struct lease_token {
    std::string key;
    std::string token;
    bool operator==(const lease_token&) const = default;
};

// From so many bytes on a message may be named instead of sent, as lua/include/held_message.lua has it.
inline constexpr std::size_t large_message = 65'536;
inline bool is_large(std::string_view message) {
    return message.size() >= large_message;
}
std::string name_of_large(std::string_view message);
// Who takes from a queue.
struct listed_taker {
    std::string id;
    std::int64_t lease = 0; // milliseconds until it ends; negative when it has
    std::int64_t in_hand = 0;
    std::string host;
    std::string pid;
    std::string name;
    std::string process;
    std::int64_t opened = 0;
};
struct listed_takers {
    std::int64_t all = 0;
    std::vector<listed_taker> rows;
};
boost::asio::awaitable<redis::result<listed_takers>> list_takers(
    redis::link& server, std::string pending, std::int64_t first, std::int64_t most);

} // namespace leat::store
