#include "config/field.hpp"

#include <spdlog/fmt/fmt.h>

namespace leat::config {

std::string_view type_name(field_type type) {
    switch (type) {
    case field_type::text:
        return "text";
    case field_type::whole:
        return "a whole number";
    case field_type::number:
        return "a number";
    case field_type::boolean:
        return "true or false";
    case field_type::text_list:
        return "a list of texts";
    case field_type::any:
        return "a value";
    case field_type::group:
        break;
    }
    return "a map of settings, true or false";
}

std::string bounds(const field_info& field) {
    std::string made;
    if (!field.least.is_null() && !field.most.is_null()) {
        made = fmt::format("{} to {}", describe(field.least), describe(field.most));
    } else if (!field.least.is_null()) {
        made = fmt::format("at least {}", describe(field.least));
    } else if (!field.most.is_null()) {
        made = fmt::format("at most {}", describe(field.most));
    }
    return made.empty() || field.unit.empty() ? made : fmt::format("{} {}", made, field.unit);
}

void assign(value& to, const value& from) {
    to = from;
}

value show(const value& from) {
    return from;
}

void assign(std::string& to, const value& from) {
    to = from.to_text().value();
}

void assign(std::int64_t& to, const value& from) {
    to = from.to_whole().value();
}

void assign(double& to, const value& from) {
    to = from.to_number().value();
}

void assign(bool& to, const value& from) {
    to = from.to_boolean().value();
}

void assign(std::vector<std::string>& to, const value& from) {
    to.clear();
    for (const auto& item : from.items()) {
        to.push_back(item.to_text().value());
    }
}

value show(const std::string& from) {
    return value::of_text(from);
}

value show(std::int64_t from) {
    return value::of_whole(from);
}

value show(double from) {
    return value::of_number(from);
}

value show(bool from) {
    return value::of_boolean(from);
}

value show(const std::vector<std::string>& from) {
    return value::of_texts(from);
}

} // namespace leat::config
