#include "config/spec_base.hpp"

#include "config/settings_check.hpp"

#include <spdlog/fmt/fmt.h>

#include <set>
#include <stdexcept>

namespace leat::config {

namespace {

void check_declaration(const field_info& field, const std::string& kind) {
    auto wrong = [&](std::string_view text) {
        throw std::logic_error{fmt::format("spec {}: setting {} {}", kind, field.name, text)};
    };
    bool numeric = field.type == field_type::whole || field.type == field_type::number;
    bool textual = field.type == field_type::text || field.type == field_type::text_list;
    if (field.key.empty() || field.key.find('.') != std::string::npos || field.name == "kind") {
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
    if (field.type == field_type::group && (field.required || field.secret != secrecy::none || !field.unit.empty())) {
        wrong("is a group and says what only a value can");
    }
    if (field.type == field_type::group && (!field.default_value.is_null() || !field.example.is_null())) {
        wrong("is a group and not off by default, or has an example that its settings should have");
    }
    if (field.required && field.name != field.key && field.example.is_null()) {
        wrong("is required in a group and has no example for the reference");
    }
    problems found;
    if (!field.required && !field.default_value.is_null() && !check(field, field.default_value, found)) {
        wrong("has a bad default: " + found.all().front().text);
    }
    if (!field.example.is_null() && !check(field, field.example, found)) {
        wrong("has a bad example: " + found.all().front().text);
    }
}

// Of all settings, in their order, a group before what it holds.
void list_fields(const std::vector<field_info>& fields, std::vector<const field_info*>& all) {
    for (const auto& field : fields) {
        all.push_back(&field);
        list_fields(field.inner, all);
    }
}

} // namespace

position reporter::where(std::string_view setting, std::optional<std::size_t> index) const {
    const auto* found = &map_;
    for (bool more = true; more;) {
        auto dot = setting.find('.');
        const auto* next = found->find(setting.substr(0, dot));
        found = next ? next : found;
        more = next && dot != std::string_view::npos;
        setting.remove_prefix(more ? dot + 1 : 0);
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
    for (const auto* field : all_fields()) {
        check_declaration(*field, name_);
        if (!names.insert(field->name).second) {
            throw std::logic_error{fmt::format("spec {}: setting {} is declared twice", name_, field->name)};
        }
        if (!field->needs.empty() && !find(field->needs)) {
            throw std::logic_error{fmt::format("spec {}: {} needs unknown {}", name_, field->name, field->needs)};
        }
    }
}

std::vector<const field_info*> spec_base::all_fields() const {
    std::vector<const field_info*> all;
    list_fields(fields_, all);
    return all;
}

const field_info* spec_base::find(std::string_view setting) const {
    return find_field(fields_, setting);
}

std::vector<std::string> spec_base::setting_names() const {
    std::vector<std::string> names;
    for (const auto* field : all_fields()) {
        names.push_back(field->name);
    }
    return names;
}

bool spec_base::check_fields(const value& map, problems& found) const {
    if (!map.is_map() && !map.is_null()) {
        found.error(map.where(), fmt::format("expected the settings of {} as a map, found {}", name_, describe(map)));
        return false;
    }
    return check_settings(fields_, map, found);
}

value spec_base::normalised(const value& given) const {
    auto map = plain_numbers(fields_, given, nullptr);
    return masked(fields_, filled(fields_, map));
}

} // namespace leat::config
