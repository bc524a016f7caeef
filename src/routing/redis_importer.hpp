#pragma once

#include "routing/importer.hpp"
#include "routing/intake.hpp"
#include "routing/processors.hpp"
#include "store/keys.hpp"
#include "taking/taking_settings.hpp"

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

struct importer_settings : described, taking::flight_settings {
    std::optional<importer_queues> queue;
    bool json = false;
    std::int64_t timeout = 0;
    std::vector<std::string> route;
    bool error_reply = false;
    std::vector<std::string> recover;

    std::string pending() const { return queue->pending.value_or(store::pending_beside(queue->in)); }
    std::string error() const { return queue->error.value_or(store::error_beside(queue->in)); }
};

// What becomes of a message at the end of its passage.
taking::verdict verdict_of(const importer_settings& settings, const std::string& original, passage& over);

// Takes messages from a list of the router's own Redis.
class redis_importer final : public importer {
public:
    redis_importer(std::string name, importer_settings settings, const processor_context& context, route along);

    const std::string& name() const override { return intake_.name(); }
    std::chrono::milliseconds timeout() const override { return intake_.timeout(); }
    const std::string& source() const override { return intake_.work().in; }
    boost::asio::awaitable<runtime::exit_code> run() override;
    void stop() override;
    void registered(std::int64_t id) override;
    void import(std::string message, std::function<void(trial)> then) override;

    const taking::work& work() const { return intake_.work(); }

private:
    taking::work work_of_queue() const;

    importer_settings settings_;
    std::function<std::unique_ptr<taking::work_loop>(const taking::work& what)> loop_of_;
    intake intake_;
    std::unique_ptr<taking::work_loop> loop_; // while it runs
    std::int64_t id_ = 0;
    bool stopped_ = false;
};

} // namespace leat::routing
