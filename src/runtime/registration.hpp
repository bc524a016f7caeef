#pragma once

#include "redis/url.hpp"
#include "runtime/service.hpp"
#include "runtime/service_settings.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace leat::runtime {

// The queues of a service by their roles, for people who look after them.
struct service_queues {
    redis::url server;
    std::vector<std::pair<std::string, std::vector<std::string>>> roles; // in, out, pending, dead ...

    std::string shown() const; // in -> out, out
    std::string json() const;
};

// How a service is registered; without a serviceNamespace it is not.
struct registration_form {
    service_settings settings;
    service_queues queues;
};

// Of the keys of its namespace. There must be one.
redis::url server_of(const registration_form& form);

// Who hears of a registration.
struct registration_handlers {
    std::function<void(std::int64_t id)> registered; // at the start, and again when Redis had forgotten it
    std::function<void(bool is)> alone; // whether no other service lives in its namespace, with each heartbeat
    std::function<void()> lost;         // the service has to stop
};

// The registration of one service: its key is there, with a heartbeat, while the service runs. The supervisor makes it,
// enters before the service runs, keeps it beside, and leaves when both have ended.
class registration {
public:
    virtual ~registration() = default;
    // Registers, again and again while that may help. False: it cannot, or is to stop, and the service must not run.
    virtual boost::asio::awaitable<bool> enter() = 0;
    // The heartbeat, until it is to stop or the registration is lost.
    virtual boost::asio::awaitable<void> keep() = 0;
    // Removes what it has written, if it is still its own. How the service has ended, and the registration with it.
    virtual boost::asio::awaitable<outcome> leave(outcome ended) = 0;
    virtual void ending() = 0; // the service was asked to stop: it drains, and then is left
    virtual void stop() = 0;
    // How long a clean end may take: it wants an answer of Redis.
    virtual std::chrono::seconds patience() const = 0;
};

// Without a namespace it does nothing.
std::unique_ptr<registration> create_registration(
    const context& given, registration_form form, registration_handlers told);

} // namespace leat::runtime
