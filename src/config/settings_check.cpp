#include "config/settings_check.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace leat::config {

namespace {

class settings_checker {
public:
    settings_checker(const std::vector<field_info>& fields, const value& root, problems& found)
        : fields_{fields}
        , root_{root}
        , found_{found} {}

    // `above` is the name of the group with its dot, or nothing at the top.
    void unknown(const std::vector<field_info>& fields, const value& map, const std::string& above) {
        if (!map.is_map()) {
            return;
        }
        for (const auto& entry : map.entries()) {
            auto known = std::ranges::find(fields, entry.key, &field_info::key);
            if (known == fields.end()) {
                found_.error(
                    entry.key_position,
                    fmt::format("unknown setting {}{}{}", above, entry.key, hint(fields, entry.key, above)));
            } else if (known->type == field_type::group) {
                unknown(known->inner, entry.value, known->name + ".");
            }
        }
    }

    void known(const std::vector<field_info>& fields, const value& map) {
        for (const auto& field : fields) {
            const auto* given = find_set(map, field);
            if (!given) {
                missing(field, map);
                continue;
            }
            if (check(field, *given, found_)) {
                known(field.inner, *given);
            }
            if (!field.needs.empty() && !in_effect(fields_, root_, field.needs)) {
                found_.warning(given->where(), fmt::format("{} has no effect without {}", field.name, field.needs));
            }
        }
    }

private:
    static std::string hint(const std::vector<field_info>& fields, const std::string& key, const std::string& above) {
        auto dot = key.find('.');
        auto group = std::ranges::find(fields, key.substr(0, dot), &field_info::key);
        if (dot != std::string::npos && group != fields.end() && group->type == field_type::group) {
            return fmt::format("; write it as `{}: {{{}: ...}}`", group->key, key.substr(dot + 1));
        }
        for (const auto& each : fields) {
            if (std::ranges::find(each.other_names, key) != each.other_names.end()) {
                return fmt::format("; did you mean {}{}?", above, each.key);
            }
        }
        // By the key alone: with the group's name before them, all would be alike.
        std::vector<std::string> keys;
        std::ranges::transform(fields, std::back_inserter(keys), &field_info::key);
        auto near = nearest(key, keys);
        return near ? fmt::format("; did you mean {}{}?", above, *near) : "";
    }

    void missing(const field_info& field, const value& map) {
        if (field.required) {
            const auto* null = map.find(field.key);
            found_.error(
                null ? null->where() : map.where(),
                null ? field.name + " has no value" : "missing setting " + field.name);
        }
    }

    // Whether a setting that others need does anything: it has a value, and that is not false or empty.
    static bool in_effect(const std::vector<field_info>& fields, const value& map, std::string_view name) {
        for (const auto& field : fields) {
            const auto* given = find_set(map, field);
            if (holds(field, name)) {
                return given && in_effect(field.inner, *given, name);
            }
            if (field.name == name) {
                const auto& content = given ? *given : field.default_value;
                return !content.is_null() && content.to_boolean() != false && content.to_text() != "";
            }
        }
        return false;
    }

    const std::vector<field_info>& fields_;
    const value& root_;
    problems& found_;
};

} // namespace

bool check_settings(const std::vector<field_info>& fields, const value& map, problems& found) {
    settings_checker checker{fields, map, found};
    checker.unknown(fields, map, "");
    auto errors = found.error_count();
    checker.known(fields, map);
    return found.error_count() == errors;
}

} // namespace leat::config
