#pragma once

#include "config/value.hpp"
#include "inspect/queues.hpp"
#include "inspect/services.hpp"
#include "redis/link.hpp"
#include "store/metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace leat::inspect {

// Services, queues and metrics of a server at one moment.
struct overview {
    std::vector<service> services;
    std::vector<queue> queues;
    std::vector<store::metrics> metrics;
    std::map<std::string, double> rates; // of metrics, by namespace and name, a second since the last look
    std::string trouble;                 // why there is nothing to see; else empty
};

// Looks again and again. The server's link must outlive it.
class overview_watch {
public:
    explicit overview_watch(redis::link& server)
        : server_{server} {}

    // At one namespace, or all when it is empty.
    boost::asio::awaitable<overview> look(std::string name_space);

private:
    boost::asio::awaitable<void> look_at_namespaces(const std::vector<std::string>& names, overview& seen);
    void compare(overview& seen);

    redis::link& server_;
    queue_watch queues_;
    std::map<std::string, std::int64_t> before_;
    std::chrono::steady_clock::time_point at_;
};

config::value as_value(const overview& seen);

} // namespace leat::inspect
