#include "config/spec_base.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace leat::config {

namespace {

// A null is as good as absent: an empty `out:` in YAML, a null in JSON.
const value* find_set(const value& map, std::string_view setting) {
    const auto* found = map.find(setting);
    return found && !found->is_null() ? found : nullptr;
}

void check_declaration(const field_info& field, const std::string& kind) {
    auto wrong = [&](std::string_view text) {
        throw std::logic_error{fmt::format("spec {}: setting {} {}", kind, field.name, text)};
    };
    bool numeric = field.type == field_type::whole || field.type == field_type::number;
    bool textual = field.type == field_type::text || field.type == field_type::text_list;
    if (field.name.empty() || field.name == "kind") {
        wrong("has a name that is not free");
    }
    if (!numeric && (!field.least.is_null() || !field.most.is_null())) {
        wrong("has bounds and is no number");
    }
    if (!textual && (field.check || field.not_empty || !field.choices.empty())) {
        wrong("has a check of texts and is none");
    }
    if (field.type != field_type::text_list && (field.at_least > 0 || field.distinct)) {
        wrong("has a check of lists and is none");
    }
    problems found;
    if (!field.required && !field.default_value.is_null() && !check(field, field.default_value, found)) {
        wrong("has a bad default: " + found.all().front().text);
    }
    if (!field.example.is_null() && !check(field, field.example, found)) {
        wrong("has a bad example: " + found.all().front().text);
    }
}

} // namespace

place reporter::where(std::string_view setting, std::optional<std::size_t> index) const {
    const auto* found = map_.find(setting);
    if (!found) {
        return map_.where();
    }
    return index && found->is_list() && *index < found->items().size() ? found->items()[*index].where()
                                                                       : found->where();
}

void reporter::error(std::string_view setting, std::string text) const {
    found_.error(where(setting, {}), std::move(text));
}

void reporter::error(std::string_view setting, std::size_t index, std::string text) const {
    found_.error(where(setting, index), std::move(text));
}

void reporter::warning(std::string_view setting, std::string text) const {
    found_.warning(where(setting, {}), std::move(text));
}

void reporter::warning(std::string_view setting, std::size_t index, std::string text) const {
    found_.warning(where(setting, index), std::move(text));
}

spec_base::spec_base(
    std::string name, std::string summary, std::string description, std::vector<field_info> fields,
    std::vector<example> examples)
    : name_{std::move(name)}
    , summary_{std::move(summary)}
    , description_{std::move(description)}
    , fields_{std::move(fields)}
    , examples_{std::move(examples)} {
    std::set<std::string> names;
    for (const auto& field : fields_) {
        check_declaration(field, name_);
        if (!names.insert(field.name).second) {
            throw std::logic_error{fmt::format("spec {}: setting {} is declared twice", name_, field.name)};
        }
        if (!field.needs.empty() && !find(field.needs)) {
            throw std::logic_error{fmt::format("spec {}: {} needs unknown {}", name_, field.name, field.needs)};
        }
    }
}

const field_info* spec_base::find(std::string_view setting) const {
    auto found = std::ranges::find(fields_, setting, &field_info::name);
    return found == fields_.end() ? nullptr : &*found;
}

std::vector<std::string> spec_base::setting_names() const {
    std::vector<std::string> names;
    std::ranges::transform(fields_, std::back_inserter(names), &field_info::name);
    return names;
}

bool spec_base::check_fields(const value& map, problems& found) const {
    if (!map.is_map() && !map.is_null()) {
        found.error(map.where(), fmt::format("expected the settings of {} as a map, found {}", name_, describe(map)));
        return false;
    }
    check_unknown(map, found);
    auto errors = found.error_count();
    for (const auto& field : fields_) {
        const auto* given = find_set(map, field.name);
        if (given) {
            check(field, *given, found);
        } else if (field.required) {
            const auto* null = map.find(field.name);
            found.error(
                null ? null->where() : map.where(),
                null ? field.name + " has no value" : "missing setting " + field.name);
        }
        if (given && !field.needs.empty() && !in_effect(map, field.needs)) {
            found.warning(given->where(), fmt::format("{} has no effect without {}", field.name, field.needs));
        }
    }
    return found.error_count() == errors;
}

void spec_base::check_unknown(const value& map, problems& found) const {
    if (map.is_null()) {
        return;
    }
    auto names = setting_names();
    for (const auto& entry : map.entries()) {
        if (!find(entry.key)) {
            found.error(
                entry.key_place, fmt::format("unknown setting {}{}", entry.key, did_you_mean(entry.key, names)));
        }
    }
}

// Whether a setting that others need does anything: it has a value, and that is not false or empty.
bool spec_base::in_effect(const value& map, std::string_view setting) const {
    const auto* given = find_set(map, setting);
    const auto& content = given ? *given : find(setting)->default_value;
    return !content.is_null() && content.to_boolean() != false && content.to_text() != "";
}

value spec_base::normalised(const value& map) const {
    auto made = value::of_map({}, map.where());
    for (const auto& field : fields_) {
        const auto* given = find_set(map, field.name);
        if (!given && field.required) {
            continue;
        }
        auto content = masked(field, given ? typed(field, *given) : field.default_value);
        if (!content.is_null()) {
            made.set(field.name, std::move(content));
        }
    }
    return made;
}

std::vector<std::string> spec_base::later_settings(const value& map) const {
    std::vector<std::string> names;
    for (const auto& field : fields_) {
        if (!field.later.empty() && find_set(map, field.name)) {
            names.push_back(field.name);
        }
    }
    return names;
}

} // namespace leat::config
