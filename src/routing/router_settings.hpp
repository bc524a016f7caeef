#pragma once

#include "config/spec.hpp"
#include "runtime/service_settings.hpp"

#include <optional>
#include <string>

namespace leat::routing {

struct router_settings : runtime::service_settings {
    std::optional<std::string> description;
    std::string redis = "redis://localhost:6379/0";
    config::value configs;
};

const config::spec<router_settings>& router_spec();

} // namespace leat::routing
