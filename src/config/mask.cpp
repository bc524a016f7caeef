#include "base/mask.hpp"

#include "config/field.hpp"

namespace leat::config {

namespace {

// What base::mask_url leaves as it is may still be a URL with a slip in it, and a password.
bool may_hold_password(std::string_view text) {
    auto at = text.rfind('@');
    if (at == std::string_view::npos) {
        return false;
    }
    auto scheme = text.find("://");
    return scheme == std::string_view::npos || text.substr(0, at).find(':', scheme + 3) != std::string_view::npos;
}

} // namespace

std::string masked(secrecy secret, std::string_view text) {
    switch (secret) {
    case secrecy::none:
        return std::string{text};
    case secrecy::url: {
        auto shown = base::mask_url(text);
        return shown == text && may_hold_password(text) ? "***" : shown;
    }
    case secrecy::whole:
        break;
    }
    return "***";
}

value masked(const field_info& field, const value& content) {
    if (field.secret == secrecy::none || content.is_null()) {
        return content;
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

} // namespace leat::config
