#pragma once

#include "config/value.hpp"
#include "redis/link.hpp"
#include "store/metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

namespace leat::inspect {

// What services have counted: of one namespace, or of all that the server knows of when that is empty.
boost::asio::awaitable<std::vector<store::metrics>> list_metrics(redis::link& server, std::string name_space);

config::value as_value(const store::metric& one);
config::value as_value(const std::vector<store::metrics>& all);

} // namespace leat::inspect
