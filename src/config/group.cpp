#include "config/group.hpp"

namespace leat::config {

namespace {

void put_under(field_info& field, const std::string& group) {
    field.name = group + "." + field.name;
    for (auto& each : field.inner) {
        put_under(each, group);
    }
}

} // namespace

field_info group_info(std::string name, std::string doc, std::vector<field_info> inner) {
    field_info made;
    made.type = field_type::group;
    made.doc = std::move(doc);
    made.inner = std::move(inner);
    for (auto& each : made.inner) {
        put_under(each, name);
    }
    made.key = name;
    made.name = std::move(name);
    return made;
}

bool holds(const field_info& group, std::string_view name) {
    return name.size() > group.name.size() && name.starts_with(group.name) && name[group.name.size()] == '.';
}

const field_info* find_field(const std::vector<field_info>& fields, std::string_view name) {
    for (const auto& field : fields) {
        if (field.name == name) {
            return &field;
        }
        if (holds(field, name)) {
            return find_field(field.inner, name);
        }
    }
    return nullptr;
}

const value* find_set(const value& map, const field_info& field) {
    const auto* found = map.find(field.key);
    bool off = !found || found->is_null() || (field.type == field_type::group && found->to_boolean() == false);
    return off ? nullptr : found;
}

value filled(const std::vector<field_info>& fields, const value& map) {
    auto made = value::of_map({}, map.where());
    for (const auto& field : fields) {
        const auto* given = find_set(map, field);
        if (!given && field.required) {
            continue;
        }
        auto content = given ? typed(field, *given) : field.default_value;
        if (!content.is_null()) {
            made.set(field.key, std::move(content));
        }
    }
    return made;
}

} // namespace leat::config
