#pragma once

#include "config/spec.hpp"
#include "runtime/pauses.hpp"
#include "runtime/service_settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leat::tracking {

struct retry_settings : runtime::pauses {
    std::int64_t attempts = 3;
};

// The settings of a kind whose messages are tracked. A kind's own struct extends this one.
struct tracking_settings : runtime::service_settings {
    std::optional<std::string> done;
    std::optional<std::string> dead;
    std::int64_t message_expire = 60;
    std::int64_t message_timeout = 10;
    std::int64_t message_capacity = 1000;
    std::string await = "first";
    std::string over_capacity = "deliver";
    std::optional<retry_settings> retry;
};

// The declaration of one of them, or of one of the service settings.
config::typed_field<tracking_settings> tracking_field(std::string_view name);

// The lists that are meant, named or not; there must be a serviceNamespace.
std::string done_of(const tracking_settings& settings);
std::string dead_of(const tracking_settings& settings);

void check_tracking_settings(const tracking_settings& given, const config::reporter& at);

} // namespace leat::tracking
