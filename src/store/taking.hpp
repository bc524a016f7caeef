#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

namespace leat::store {

// Take, settle and what keeps both safe; what each verb does stands in its script.
boost::asio::awaitable<redis::result<scripts::open_lease_outcome>> open_lease(
    redis::link& server, scripts::open_lease_call call);
boost::asio::awaitable<redis::result<scripts::take_outcome>> take(redis::link& server, scripts::take_call call);
boost::asio::awaitable<redis::result<scripts::settle_outcome>> settle(redis::link& server, scripts::settle_call call);
boost::asio::awaitable<redis::result<scripts::read_hand_outcome>> read_hand(
    redis::link& server, scripts::read_hand_call call);
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
