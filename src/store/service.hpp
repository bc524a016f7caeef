#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

namespace leat::store {

// Registration, heartbeat and end of a service; what each does stands in its script.
boost::asio::awaitable<redis::result<scripts::register_service_outcome>> register_service(
    redis::link& server, scripts::register_service_call call);
boost::asio::awaitable<redis::result<scripts::renew_service_outcome>> renew_service(
    redis::link& server, scripts::renew_service_call call);
boost::asio::awaitable<redis::result<scripts::end_service_outcome>> end_service(
    redis::link& server, scripts::end_service_call call);

} // namespace leat::store
