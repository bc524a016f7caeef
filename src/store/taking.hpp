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

} // namespace leat::store
