#pragma once

#include "redis/failure.hpp"
#include "redis/url.hpp"

#include <boost/asio/ssl/context.hpp>

namespace leat::redis {

// A client context for this server: its CA (or the system's), our certificate, the host check and the SNI name.
result<boost::asio::ssl::context> create_tls_context(const url& server);

} // namespace leat::redis
