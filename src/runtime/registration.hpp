#pragma once

#include "redis/url.hpp"
#include "runtime/service.hpp"
#include "runtime/service_settings.hpp"

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

// The registration of one service: its key is there, with a heartbeat, while the service runs. When the registration is
// lost, the service is asked to stop.
class registration {
public:
    virtual ~registration() = default;
    // Registers, runs the service, and removes what it has written.
    virtual boost::asio::awaitable<outcome> run() = 0;
    virtual void stop() = 0;
    static constexpr std::chrono::seconds patience{5}; // a clean end wants an answer of Redis
};

// Nothing when there is no namespace. The service must outlive it.
std::unique_ptr<registration> create_registration(const context& given, registration_form form, service& of);

} // namespace leat::runtime
