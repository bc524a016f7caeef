#include "config/field.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>

namespace leat::config {

namespace {

bool readable(field_type type, const value& content) {
    switch (type) {
    case field_type::text:
        return content.to_text().has_value();
    case field_type::whole:
        return content.to_whole().has_value();
    case field_type::number:
        return content.to_number().has_value();
    case field_type::boolean:
        return content.to_boolean().has_value();
    case field_type::text_list:
        return content.is_list();
    case field_type::any:
        return true;
    case field_type::group:
        break;
    }
    return content.is_map() || content.to_boolean().has_value();
}

bool less(const value& one, const value& other) {
    if (one.shape() == value_shape::whole && other.shape() == value_shape::whole) {
        return one.whole() < other.whole();
    }
    return one.to_number() < other.to_number();
}

std::string replace_all(std::string text, std::string_view what, std::string_view by) {
    for (auto found = text.find(what); found != std::string::npos; found = text.find(what, found + by.size())) {
        text.replace(found, what.size(), by);
    }
    return text;
}

// The checks of one set value; each tells its problem with the setting's name and without its secrets.
class field_checker {
public:
    field_checker(const field_info& field, problems& found)
        : field_{field}
        , found_{found} {}

    void any(const value& content) {
        if (!readable(field_.type, content)) {
            return is_duration(field_) ? error(content, not_a_duration(content)) : wrong_type(field_.type, content);
        }
        switch (field_.type) {
        case field_type::text:
            return text(content);
        case field_type::text_list:
            return list(content);
        case field_type::whole:
        case field_type::number:
            return number(content);
        case field_type::boolean:
        case field_type::group:
        case field_type::any:
            return;
        }
    }

private:
    void error(const value& content, std::string_view text) {
        found_.error(content.where(), fmt::format("{}: {}", field_.name, text));
    }

    std::string shown(const value& content) const {
        return describe(content.is_map() || content.is_list() ? content : masked(field_, content));
    }

    void wrong_type(field_type expected, const value& content) {
        error(content, fmt::format("expected {}, found {}", type_name(expected), shown(content)));
    }

    std::string not_a_duration(const value& content) const {
        return fmt::format(
            "expected {} of {}, or a duration with its unit (ms, s, m, h or d), found {}", type_name(field_.type),
            field_.unit, shown(content));
    }

    void number(const value& content) {
        auto exact = typed(field_, content);
        if ((!field_.least.is_null() && less(exact, field_.least)) ||
            (!field_.most.is_null() && less(field_.most, exact))) {
            error(content, fmt::format("expected {}, found {}", bounds(field_), describe(masked(field_, exact))));
        }
    }

    void text(const value& content) {
        auto text = content.to_text().value();
        if (text.empty() && field_.not_empty) {
            return error(content, "must not be empty");
        }
        if (!field_.choices.empty() && std::ranges::find(field_.choices, text) == field_.choices.end()) {
            return error(
                content, fmt::format(
                             "expected {}, found {}{}", fmt::join(field_.choices, " or "), shown(content),
                             did_you_mean(text, field_.choices)));
        }
        if (!field_.check) {
            return;
        }
        if (auto complaint = field_.check(text)) {
            bool hide = field_.secret != secrecy::none && !text.empty();
            error(content, hide ? replace_all(*complaint, text, masked(field_.secret, text)) : *complaint);
        }
    }

    void list(const value& content) {
        const auto& items = content.items();
        if (items.size() < field_.at_least) {
            error(content, fmt::format("expected at least {} in the list, found {}", field_.at_least, items.size()));
        }
        for (auto item = items.begin(); item != items.end(); ++item) {
            auto known = item->to_text();
            if (!known) {
                wrong_type(field_type::text, *item);
                continue;
            }
            text(*item);
            auto earlier =
                std::find_if(items.begin(), item, [&](const value& each) { return each.to_text() == known; });
            if (field_.distinct && earlier != item) {
                error(
                    *item,
                    fmt::format("{} is in the list twice; first at {}", shown(*item), to_string(earlier->where())));
            }
        }
    }

    const field_info& field_;
    problems& found_;
};

} // namespace

bool check(const field_info& field, const value& content, problems& found) {
    auto errors = found.error_count();
    field_checker{field, found}.any(content);
    return found.error_count() == errors;
}

value typed(const field_info& field, const value& content) {
    if (content.is_null() || !readable(field.type, content)) {
        return content;
    }
    const auto& where = content.where();
    switch (field.type) {
    case field_type::text:
        return value::of_text(*content.to_text(), where);
    case field_type::whole:
        return value::of_whole(*content.to_whole(), where);
    case field_type::number:
        return value::of_number(*content.to_number(), where);
    case field_type::boolean:
        return value::of_boolean(*content.to_boolean(), where);
    case field_type::any:
        return content;
    case field_type::group:
        return content.to_boolean() == false ? value::of_boolean(false, where) : filled(field.inner, content);
    case field_type::text_list:
        break;
    }
    std::vector<value> items;
    for (const auto& item : content.items()) {
        auto text = item.to_text();
        items.push_back(text ? value::of_text(*text, item.where()) : item);
    }
    return value::of_list(std::move(items), where);
}

} // namespace leat::config
