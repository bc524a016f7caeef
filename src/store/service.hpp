#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

namespace leat::store {

// A service as its keys show it to people.
struct listed_service {
    std::string name_space;
    std::string id;
    std::string host; // empty: the key is gone, the id is still listed
    std::string pid;
    std::int64_t started = 0;
    std::int64_t renewed = 0; // 0 before the first heartbeat
    std::string kind;
    std::string name;
    std::string version;
    std::string queues;
    std::vector<std::pair<std::string, std::string>> roles; // in, out, pending, dead ..., and the key
    std::string server;                                     // that has the queues; empty: this one
    std::int64_t ttl = 0;
    std::int64_t age = 0; // seconds since the last sign of life
};

// Every namespace that a service was ever registered in, in order.
boost::asio::awaitable<redis::result<std::vector<std::string>>> namespaces(redis::link& server);
boost::asio::awaitable<redis::result<std::vector<listed_service>>> list_services(
    redis::link& server, std::string name_space);
// Deletes the key, which ends the service; false when there was none.
boost::asio::awaitable<redis::result<bool>> ask_to_stop(redis::link& server, std::string name_space, std::string id);

} // namespace leat::store
