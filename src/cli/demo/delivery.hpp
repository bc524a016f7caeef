#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leat::cli {

// What a gateway of the demo needs of a delivery.
struct demo_delivery {
    std::string request;
    std::string response;
    std::int64_t fence = 0;
    std::int64_t deadline = 0; // milliseconds since 1970
    std::int64_t attempt = 0;

    // Then it is not to be sent any more; the bridge delivers it again.
    bool is_late() const;
};

// Nothing when it is none: who looks inside may push anything.
std::optional<demo_delivery> read_demo_delivery(std::string_view text);

} // namespace leat::cli
