#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

namespace leat::store {

// What routes need of Redis beside take and settle; what each verb does stands in its script.
boost::asio::awaitable<redis::result<scripts::limit_rate_outcome>> limit_rate(
    redis::link& server, scripts::limit_rate_call call);
boost::asio::awaitable<redis::result<scripts::claim_id_outcome>> claim_id(
    redis::link& server, scripts::claim_id_call call);
boost::asio::awaitable<redis::result<scripts::collect_outcome>> collect(
    redis::link& server, scripts::collect_call call);
boost::asio::awaitable<redis::result<scripts::sweep_answers_outcome>> sweep_answers(
    redis::link& server, scripts::sweep_answers_call call);
boost::asio::awaitable<redis::result<scripts::tally_outcome>> tally(redis::link& server, scripts::tally_call call);

} // namespace leat::store
