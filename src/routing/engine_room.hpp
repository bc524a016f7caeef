#pragma once

#include "base/stop_signal.hpp"
#include "base/task_group.hpp"
#include "routing/processor_type.hpp"
#include "routing/requests.hpp"
#include "taking/taking_settings.hpp"

#include <map>
#include <memory>
#include <string>

namespace leat::routing {

// A task that must not run before whoever spawns it has gone on: a processor's, which is not yet known to wait.
boost::asio::awaitable<void> started_later(boost::asio::awaitable<void> task);

// An engine and all that it needs to run in a service: the clock, connections, requests.
class engine_room {
public:
    engine_room(const runtime::context& given, const runtime::service_settings& settings, std::string redis);

    const processor_context& for_processors() const { return for_processors_; }
    engine& passages() { return passages_; }
    taking::backlog& results() { return results_; }
    const std::optional<taking::name_space_home>& name_space() const { return name_space_; }
    void spawn(std::string name, boost::asio::awaitable<void> task) { tasks_.spawn(std::move(name), std::move(task)); }

    void begin();
    // When nothing is under way any more.
    boost::asio::awaitable<void> end();

private:
    redis::server server_of(const std::string& url, std::string what);
    requests& requests_on(const std::string& url);
    boost::asio::awaitable<void> keep_time();
    boost::asio::awaitable<void> count_late();

    runtime::context context_;
    base::stop_signal stop_; // its notice wakes the keeper of time, too
    engine passages_;
    taking::backlog results_;
    base::task_group tasks_;
    std::optional<taking::name_space_home> name_space_;
    std::map<std::string, std::unique_ptr<requests>> requests_; // by URL
    processor_context for_processors_;
    std::uint64_t late_ = 0; // counted so far
};

} // namespace leat::routing
