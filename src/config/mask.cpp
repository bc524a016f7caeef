#include "base/mask.hpp"

#include "config/field.hpp"

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
