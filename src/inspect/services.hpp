#pragma once

#include "config/value.hpp"
#include "redis/link.hpp"
#include "store/service.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace leat::inspect {

using service = store::listed_service;

// False when its key is gone, and only its id is still listed.
bool is_alive(const service& one);

// The namespace that was asked for, or all that the server knows of when that is empty.
boost::asio::awaitable<std::vector<std::string>> list_namespaces(redis::link& server, std::string asked);
// Of one namespace, or of all.
boost::asio::awaitable<std::vector<service>> list_services(redis::link& server, std::string name_space);

// The keys that services have in a role, each once; only those of the service with this id when it is not empty.
std::vector<std::string> keys_with(const std::vector<service>& services, std::string_view role, const std::string& id);

config::value as_value(const std::vector<service>& all);

} // namespace leat::inspect
