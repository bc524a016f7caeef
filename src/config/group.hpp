#pragma once

#include "config/field.hpp"

namespace leat::config {

// All that is known of a map of settings: the infos of its members, with the values of a fresh S as their defaults.
template <class S>
std::vector<field_info> infos(const std::vector<typed_field<S>>& fields) {
    const S defaults{};
    std::vector<field_info> made;
    for (const auto& field : fields) {
        made.push_back(field.info());
        made.back().default_value = field.get(defaults);
    }
    return made;
}

// Puts what the map sets, already checked; the rest stays as it is.
template <class S>
void fill(S& to, const std::vector<typed_field<S>>& fields, const value& map) {
    for (const auto& field : fields) {
        if (const auto* given = find_set(map, field.info())) {
            field.put(to, *given);
        }
    }
}

// Settings that stand together in a map of their own, and are there or not as a whole. Absent, null and `false` leave
// the member empty; `{}` and `true` give the defaults of a fresh Group. A group may hold groups.
//
//   config::group("retry", &mpush_settings::retry, "What is done about a message that timed out.", {
//       config::field("attempts", &retry_settings::attempts, "Deliveries in all.").range(1, 100)})
//       .needs("serviceNamespace")
template <class S, class Group>
typed_field<S> group(
    std::string name, std::optional<Group> S::* member, std::string doc, std::vector<typed_field<Group>> fields) {
    auto info = group_info(std::move(name), std::move(doc), infos(fields));
    auto get = [member](const S& from) { return from.*member ? value::of_boolean(true) : value::null(); };
    auto put = [member, fields = std::move(fields)](S& to, const value& from) {
        fill((to.*member).emplace(), fields, from);
    };
    return {std::move(info), std::move(put), std::move(get)};
}

} // namespace leat::config
