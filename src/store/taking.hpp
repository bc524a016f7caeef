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

// Take, settle and what keeps both safe; what each verb does stands in its script.
boost::asio::awaitable<redis::result<scripts::open_lease_outcome>> open_lease(
    redis::link& server, scripts::open_lease_call call);
boost::asio::awaitable<redis::result<scripts::take_outcome>> take(redis::link& server, scripts::take_call call);
boost::asio::awaitable<redis::result<scripts::settle_outcome>> settle(redis::link& server, scripts::settle_call call);
boost::asio::awaitable<redis::result<scripts::read_hand_outcome>> read_hand(
    redis::link& server, scripts::read_hand_call call);
boost::asio::awaitable<redis::result<scripts::find_held_outcome>> find_held(
    redis::link& server, scripts::find_held_call call);
boost::asio::awaitable<redis::result<scripts::bury_outcome>> bury(redis::link& server, scripts::bury_call call);
// From so many bytes on a message may be named instead of sent, as lua/include/held_message.lua has it.
inline constexpr std::size_t large_message = 65'536;
inline bool is_large(std::string_view message) {
    return message.size() >= large_message;
}
std::string name_of_large(std::string_view message);
boost::asio::awaitable<redis::result<scripts::release_outcome>> release(
    redis::link& server, scripts::release_call call);
boost::asio::awaitable<redis::result<scripts::forward_outcome>> forward(
    redis::link& server, scripts::forward_call call);
boost::asio::awaitable<redis::result<scripts::recover_outcome>> recover(
    redis::link& server, scripts::recover_call call);

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
