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

value ungrouped(const std::vector<field_info>& fields, const value& map, problems* found) {
    auto made = map;
    for (const auto& field : fields) {
        const auto* given = field.grouped ? map.find(field.key) : nullptr;
        if (given == nullptr) {
            continue;
        }
        auto raw = !given->raw().empty() ? given->raw() : given->to_text().value_or("");
        auto first = raw.find('.');
        auto groups = first == std::string::npos ? std::string_view{} : std::string_view{raw}.substr(first);
        bool fits = first >= 1 && first <= 3 && !groups.empty() && groups.size() % 4 == 0;
        std::string digits;
        for (std::size_t i = 0; fits && i < raw.size(); ++i) {
            bool is_point = i >= first && (i - first) % 4 == 0;
            fits = is_point ? raw[i] == '.' : raw[i] >= '0' && raw[i] <= '9';
            digits += is_point ? "" : std::string(1, raw[i]);
        }
        if (!fits || digits.size() > 18) {
            if (found != nullptr && first != std::string::npos && given->to_whole()) {
                found->error(
                    given->where(),
                    fmt::format(
                        "{}: {} has a point, but no groups of three digits; write it without", field.name, raw));
            }
            continue;
        }
        if (found != nullptr) {
            found->warning(given->where(), fmt::format("{}: {} is read as {}", field.name, raw, digits));
        }
        made.set(field.key, value::of_whole(std::stoll(digits), given->where()));
    }
    return made;
}

} // namespace leat::config
