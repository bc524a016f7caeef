#include "taking/own_keys.hpp"

#include "store/keys.hpp"

#include <algorithm>

namespace leat::taking {

bool own_keys::hold(std::string_view key) const {
    return std::ranges::find(exact, key) != exact.end() ||
           std::ranges::any_of(starts, [key](const std::string& start) { return key.starts_with(start); });
}

std::optional<std::string> own_keys::first_within(std::string_view prefix) const {
    for (const auto& key : exact) {
        if (key.starts_with(prefix)) {
            return key;
        }
    }
    for (const auto& start : starts) {
        if (start.starts_with(prefix) || prefix.starts_with(start)) {
            return start;
        }
    }
    return std::nullopt;
}

own_keys own_keys_of(const taking_settings& settings) {
    auto dead = dead_of(settings);
    own_keys made{{settings.in, dead, store::story_of(dead)}, {store::taking_keys{pending_of(settings)}.below()}};
    if (settings.service_namespace) {
        store::message_keys messages{*settings.service_namespace};
        made.starts.push_back(store::service_keys{*settings.service_namespace}.prefix());
        made.starts.push_back(messages.prefix());
        made.starts.push_back(messages.metrics());
    }
    return made;
}

} // namespace leat::taking
