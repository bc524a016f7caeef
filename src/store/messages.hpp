#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

namespace leat::store {

// What happens to a tracked message; what each verb does stands in its script.
boost::asio::awaitable<redis::result<scripts::track_outcome>> track(redis::link& server, scripts::track_call call);
boost::asio::awaitable<redis::result<scripts::complete_outcome>> complete(
    redis::link& server, scripts::complete_call call);
boost::asio::awaitable<redis::result<scripts::time_out_outcome>> time_out(
    redis::link& server, scripts::time_out_call call);
boost::asio::awaitable<redis::result<scripts::retry_outcome>> retry(redis::link& server, scripts::retry_call call);
boost::asio::awaitable<redis::result<scripts::postpone_outcome>> postpone(
    redis::link& server, scripts::postpone_call call);
boost::asio::awaitable<redis::result<scripts::undo_retry_outcome>> undo_retry(
    redis::link& server, scripts::undo_retry_call call);
boost::asio::awaitable<redis::result<scripts::compact_outcome>> compact(
    redis::link& server, scripts::compact_call call);
boost::asio::awaitable<redis::result<scripts::deliver_outcome>> deliver(
    redis::link& server, scripts::deliver_call call);
boost::asio::awaitable<redis::result<scripts::count_outcome>> count(redis::link& server, scripts::count_call call);

} // namespace leat::store
