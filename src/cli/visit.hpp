#pragma once

#include "redis/link.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>

namespace leat::cli {

// Connects to a server for one piece of work, as inspecting commands do. Throws std::runtime_error with a sentence when
// the server refuses or does not answer within five seconds.
void visit(const std::string& url, const std::function<boost::asio::awaitable<void>(redis::link&)>& work);

// The URL of a command that looks at one server: --redis, else REDIS_URL, else the one on this machine. Throws when it
// is malformed.
std::string server_for(const std::string& flag);

} // namespace leat::cli
