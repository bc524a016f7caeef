#pragma once

#include "redis/url.hpp"
#include "runtime/kind.hpp"
#include "runtime/service_settings.hpp"

#include <memory>
#include <string>

namespace leat::runtime {

// Puts a service under registration: its key is there, with a heartbeat, while it runs. With no serviceNamespace the
// service comes back as it is. `queues` is shown to people who list services.
std::unique_ptr<service> under_registration(
    const context& given, const service_settings& settings, const redis::url& queue_server, std::string queues,
    std::unique_ptr<service> inner);

} // namespace leat::runtime
