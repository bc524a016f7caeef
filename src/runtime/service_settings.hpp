#pragma once

#include "config/spec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leat::runtime {

// The settings that every kind has for registration. A kind's own struct extends this one.
struct service_settings {
    std::optional<std::string> service_redis;
    std::optional<std::string> service_namespace;
    std::int64_t service_expire = 60;
    std::int64_t service_renew = 15;
    std::int64_t service_capacity = 10;
};

// The declaration of one of them, so that a kind lists its settings in the order that reads best.
config::typed_field<service_settings> service_field(std::string_view name);

void check_service_settings(const service_settings& given, const config::reporter& at);

} // namespace leat::runtime
