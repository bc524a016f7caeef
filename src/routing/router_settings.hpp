#pragma once

#include "config/spec.hpp"
#include "routing/processor_type.hpp"
#include "runtime/service_settings.hpp"

#include <optional>
#include <string>

namespace leat::routing {

struct router_settings : runtime::service_settings {
    std::optional<std::string> description;
    std::string redis = "redis://localhost:6379/0";
    config::value configs;
};

// The table must outlive it.
config::spec<router_settings> router_spec(const processor_table& known);

} // namespace leat::routing
