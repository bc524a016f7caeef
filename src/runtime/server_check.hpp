#pragma once

#include "base/log.hpp"
#include "redis/link.hpp"

#include <boost/asio/awaitable.hpp>

namespace leat::runtime {

// Looks at the server after the first connect: too old is a failure of class stop, a policy that may evict messages is
// warned of. A server that does not let us ask passes; without a connection nothing is known, which is a failure.
boost::asio::awaitable<redis::result<void>> check_server(redis::link& server, base::log_ptr log);

} // namespace leat::runtime
