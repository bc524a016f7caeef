#include "base/mask.hpp"

#include "config/field.hpp"

#include <algorithm>

namespace leat::config {

std::string masked(secrecy secret, std::string_view text) {
    if (text.empty()) {
        return {}; // that there is none is no secret, and good to see
    }
    switch (secret) {
    case secrecy::none:
        return std::string{text};
    case secrecy::url:
        return base::mask_url(text);
    case secrecy::whole:
        break;
    }
    return "***";
}

namespace {

bool has_secret(const field_info& field) {
    return field.secret != secrecy::none || std::ranges::any_of(field.inner, has_secret);
}

value masked_group(const field_info& field, const value& content) {
    if (content.is_map()) {
        return masked(field.inner, content);
    }
    // No one knows what of a mistake was meant as a secret.
    return content.to_boolean() ? content : value::of_text("***", content.where());
}

} // namespace

namespace {

// Of a tree that nobody has declared: every text that is a URL.
value masked_tree(const value& content) {
    if (content.is_list()) {
        std::vector<value> items;
        for (const auto& each : content.items()) {
            items.push_back(masked_tree(each));
        }
        return value::of_list(std::move(items), content.where());
    }
    if (content.is_map()) {
        std::vector<value::entry> entries;
        for (const auto& each : content.entries()) {
            entries.push_back({each.key, each.key_position, masked_tree(each.value)});
        }
        return value::of_map(std::move(entries), content.where());
    }
    bool is_url = content.is_text() && content.text().find("://") != std::string::npos;
    return is_url ? value::of_text(masked(secrecy::url, content.text()), content.where()) : content;
}

} // namespace

value masked(const field_info& field, const value& content) {
    if (field.type == field_type::any) {
        return masked_tree(content);
    }
    if (content.is_null() || !has_secret(field)) {
        return content;
    }
    if (field.type == field_type::group) {
        return masked_group(field, content);
    }
    if (content.is_list()) {
        std::vector<value> items;
        for (const auto& item : content.items()) {
            items.push_back(masked(field, item));
        }
        return value::of_list(std::move(items), content.where());
    }
    auto text = content.to_text();
    return value::of_text(text ? masked(field.secret, *text) : "***", content.where());
}

value masked(const std::vector<field_info>& fields, const value& map) {
    auto made = value::of_map({}, map.where());
    for (const auto& field : fields) {
        if (const auto* found = map.find(field.key)) {
            made.set(field.key, masked(field, *found));
        }
    }
    return made;
}

} // namespace leat::config
