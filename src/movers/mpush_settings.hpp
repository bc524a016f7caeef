#pragma once

#include "config/spec.hpp"
#include "runtime/service_settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace leat::movers {

// The props of mpush, by the names that its users know.
struct mpush_settings : runtime::service_settings {
    std::string redis = "redis://localhost:6379/0";
    std::string in;
    std::optional<std::string> pending;
    std::int64_t pop_timeout = 5;
    std::vector<std::string> out;
    std::optional<std::string> done;
    std::int64_t max_length = 0;
    std::int64_t message_expire = 60;
    std::int64_t message_timeout = 10;
    std::int64_t message_capacity = 1000;
};

const config::spec<mpush_settings>& mpush_spec();

} // namespace leat::movers
