#pragma once

#include "config/spec.hpp"
#include "tracking/tracking_settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace leat::movers {

// The props of mpush, by the names that its users know.
struct mpush_settings : tracking::tracking_settings, runtime::waiting_settings {
    std::string redis = "redis://localhost:6379/0";
    std::string in;
    std::optional<std::string> pending;
    std::vector<std::string> out;
    std::int64_t max_length = 0;
};

const config::spec<mpush_settings>& mpush_spec();

} // namespace leat::movers
