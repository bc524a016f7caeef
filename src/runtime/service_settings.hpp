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

// Of every kind that waits for a queue.
struct waiting_settings {
    std::int64_t pop_timeout = 5;
};
config::typed_field<waiting_settings> pop_timeout_field();

// The declaration of one of the service settings, so that a kind lists its settings in the order that reads best.
config::typed_field<service_settings> service_field(std::string_view name);

void check_service_settings(const service_settings& given, const config::reporter& at);

} // namespace leat::runtime
