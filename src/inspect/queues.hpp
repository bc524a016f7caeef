#pragma once

#include "config/value.hpp"
#include "inspect/services.hpp"
#include "redis/link.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace leat::inspect {

// A queue as an operator sees it.
struct queue {
    std::string key;
    std::vector<std::string> roles;    // in, out ...; none when nobody is registered for it
    std::vector<std::string> services; // namespace:id
    std::string pending;               // prefix of what is taken from it
    std::vector<std::string> namespaces;
    std::string wrong_type; // what it is instead of a list
    std::string trouble;    // why nothing is known of it
    std::int64_t depth = 0;
    std::int64_t in_flight = 0; // over all pending queues
    std::int64_t delayed = 0;
    std::int64_t takers = 0;    // of leat, alive
    std::int64_t lapsed = 0;    // ... whose lease has ended
    std::int64_t age = -1;      // of the oldest message, in seconds, where known
    std::optional<double> rate; // change of the depth per second, between two looks
};

// The queues of these services, each once, in the order of their roles; those on other servers are left out.
std::vector<queue> queues_of(const std::vector<service>& services);
// Those that somebody names, with what the services say of them.
std::vector<queue> queues_named(const std::vector<std::string>& keys, const std::vector<service>& services);

// Looks at each, again and again; rates are between looks.
class queue_watch {
public:
    boost::asio::awaitable<void> look(redis::link& server, std::vector<queue>& queues);

private:
    struct earlier {
        std::int64_t depth = 0;
        std::chrono::steady_clock::time_point at;
    };
    std::map<std::string, earlier> before_;
};

config::value as_value(const std::vector<queue>& queues);

// How many messages a program has left in `pending`, which it took from `source`.
boost::asio::awaitable<std::int64_t> count_pending(redis::link& server, std::string pending, std::string source);

} // namespace leat::inspect
