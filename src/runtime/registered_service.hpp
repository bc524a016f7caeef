#pragma once

#include "redis/url.hpp"
#include "runtime/kind.hpp"
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

// Puts a service under registration: its key is there, with a heartbeat, while it runs. With no serviceNamespace the
// service comes back as it is.
std::unique_ptr<service> under_registration(
    const context& given, const service_settings& settings, service_queues queues, std::unique_ptr<service> inner);

} // namespace leat::runtime
