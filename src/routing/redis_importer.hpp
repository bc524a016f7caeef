#pragma once

#include "routing/processors.hpp"
#include "taking/work_loop.hpp"

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
    std::optional<std::string> redis;
    bool json = false;
    std::int64_t timeout = 0;
    std::vector<std::string> route;
    bool error_reply = false;
    std::vector<std::string> recover;
    std::int64_t concurrency = 1;
    std::int64_t pop_timeout = 5;
    std::int64_t max_deliveries = 5;
    std::int64_t lease = 30;

    std::string pending() const { return queue->pending.value_or(queue->in + ":pending"); }
    std::string error() const { return queue->error.value_or(queue->in + ":error"); }
};

const config::spec<importer_settings>& redis_importer_spec();

// What becomes of a message at the end of its passage.
taking::verdict verdict_of(const importer_settings& settings, const std::string& original, passage& over);

// Takes messages from a list, sends each along the route, and settles it by the outcome.
class redis_importer final : departure {
public:
    redis_importer(std::string name, importer_settings settings, engine& moves, route along);
    ~redis_importer();

    // The work that a loop does for it. It must outlive the loop.
    taking::work work();
    const std::string& name() const { return name_; }
    const importer_settings& settings() const { return settings_; }

    // One message by hand: calls back with what would have become of it.
    void import(std::string message, std::int64_t delivery, std::function<void(taking::verdict)> then);

private:
    struct vessel;
    void ended(passage& over) override;
    std::optional<taking::verdict> decide(const taking::taken& given, taking::ticket later);
    vessel& launch(const std::string& message, std::int64_t delivery);
    void give_up();

    std::string name_;
    importer_settings settings_;
    engine& moves_;
    route along_;
    std::int64_t messages_ = 0;
    std::vector<std::unique_ptr<vessel>> all_;
    std::vector<vessel*> free_;
    bool giving_up_ = false;
};

} // namespace leat::routing
