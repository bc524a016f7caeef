#pragma once

#include "routing/importer.hpp"
#include "routing/processors.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace leat::routing {

struct importer_queues {
    std::string in;
    std::optional<std::string> pending;
    std::optional<std::string> reply;
    std::optional<std::string> error;
    std::optional<std::string> recovery;
};

struct importer_settings : described {
    std::optional<importer_queues> queue;
    bool json = false;
    std::int64_t timeout = 0;
    std::vector<std::string> route;
    bool error_reply = false;
    std::vector<std::string> recover;
    std::int64_t concurrency = 1;
    std::int64_t pop_timeout = 5;
    std::int64_t max_deliveries = 5;
    std::int64_t max_message_bytes = 64 << 20;
    std::int64_t max_bytes_in_flight = 64 << 20;
    std::int64_t lease = 30;

    std::string pending() const { return queue->pending.value_or(queue->in + ":pending"); }
    std::string error() const { return queue->error.value_or(queue->in + ":error"); }
};

const config::spec<importer_settings>& redis_importer_spec();

// What becomes of a message at the end of its passage.
taking::verdict verdict_of(const importer_settings& settings, const std::string& original, passage& over);
std::unique_ptr<importer> make_redis_importer(
    std::string name, const importer_settings& settings, engine& moves, route along);

} // namespace leat::routing
