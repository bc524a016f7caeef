#include "tracking/service_home.hpp"

#include <optional>
#include <string>

namespace leat::tracking {
namespace {

// run_id and user; empty when the server does not say, nothing when it does not answer.
boost::asio::awaitable<std::optional<std::string>> identity_of(redis::link& server) {
    redis::command about{"INFO", "server"};
    auto info = co_await server.call(std::move(about));
    redis::command who{"ACL", "WHOAMI"};
    auto user = co_await server.call(std::move(who));
    if (!info || !user) {
        bool lost = !server.connected();
        co_return lost ? std::nullopt : std::optional<std::string>{""};
    }
    constexpr std::string_view name = "run_id:";
    auto text = info->text();
    auto at = text.find(name);
    if (at == std::string_view::npos) {
        co_return std::string{};
    }
    auto run_id = text.substr(at + name.size());
    co_return std::string{run_id.substr(0, run_id.find_first_of("\r\n"))} + " " + std::string{user->text()};
}

} // namespace

boost::asio::awaitable<home> service_home::locate() {
    if (&queues_ == &service_) {
        co_return home::here;
    }
    auto queue_connects = queues_.connects();
    auto service_connects = service_.connects();
    if (queue_connects == queue_connects_ && service_connects == service_connects_) {
        co_return found_;
    }
    auto one = co_await identity_of(queues_);
    auto other = co_await identity_of(service_);
    if (!one || !other || one->empty() || *one != *other) {
        found_ = home::elsewhere;
    } else {
        found_ = queues_.server().db == service_.server().db ? home::here : home::other_database;
    }
    if (one && other) {
        queue_connects_ = queue_connects;
        service_connects_ = service_connects;
    }
    co_return found_;
}

} // namespace leat::tracking
