#pragma once

#include "taking/taking_settings.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::taking {

// The keys that a service lives on, which no message may have it write to.
struct own_keys {
    std::vector<std::string> exact;
    std::vector<std::string> starts;

    bool hold(std::string_view key) const;
    // One of them that a key with this beginning could be.
    std::optional<std::string> first_within(std::string_view prefix) const;
};
own_keys own_keys_of(const taking_settings& settings);

} // namespace leat::taking
