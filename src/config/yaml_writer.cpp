#include "base/unicode.hpp"
#include "config/interpolate.hpp"
#include "config/write.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace leat::config {

std::string decimal(double number) {
    auto digits = fmt::format("{}", number);
    return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

namespace {

// Whether text stands for itself without quotes. Narrower than YAML allows, and also false for what older readers of
// YAML take for something else.
bool safe_plain(std::string_view text) {
    auto alphanumeric = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    auto inner = [&](char c) { return alphanumeric(c) || std::string_view{"./:@+=- "}.find(c) != text.npos; };
    if (text.empty() || !(alphanumeric(text.front()) || text.front() == '/') || !std::ranges::all_of(text, inner)) {
        return false;
    }
    if (text.back() == ' ' || text.back() == ':' || text.find(": ") != text.npos) {
        return false;
    }
    std::string lower{text};
    std::ranges::transform(
        lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (std::string_view other : {"yes", "no", "on", "off", "y", "n", "true", "false", "null"}) {
        if (lower == other) {
            return false;
        }
    }
    // Digits first may be a number, a date or minutes:seconds to someone.
    bool starts_as_number = text.front() >= '0' && text.front() <= '9';
    return !starts_as_number && value::of_plain(std::string{text}).is_text();
}

std::string scalar_text(std::string_view text) {
    if (safe_plain(text)) {
        return std::string{text};
    }
    std::string made = "\"";
    while (!text.empty()) {
        char c = text.front();
        auto length = std::max<std::size_t>(1, base::character_length(text));
        auto code = base::character_code(text);
        if (c == '"' || c == '\\') {
            made += fmt::format("\\{}", c);
        } else if (c == '\n') {
            made += "\\n";
        } else if (c == '\t') {
            made += "\\t";
        } else if (code < 0x20 || code == 0x7f) {
            made += fmt::format("\\x{:02X}", static_cast<unsigned>(code));
        } else if (base::is_terminal_order(code) && length > 1) {
            made += fmt::format("\\u{:04X}", static_cast<unsigned>(code));
        } else {
            made += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return made + "\"";
}

std::string scalar(const value& content) {
    switch (content.shape()) {
    case value_shape::boolean:
        return content.boolean() ? "true" : "false";
    case value_shape::whole:
        return content.raw().empty() ? fmt::format("{}", content.whole()) : content.raw();
    case value_shape::number:
        if (!content.raw().empty()) {
            return content.raw();
        }
        return std::isfinite(content.number()) ? decimal(content.number()) : "null";
    case value_shape::text:
        return scalar_text(without_interpolation(content.text()));
    case value_shape::list:
        return "[]";
    case value_shape::map:
        return "{}";
    case value_shape::null:
        break;
    }
    return "null";
}

bool is_block(const value& content) {
    return (content.is_list() && !content.items().empty()) || (content.is_map() && !content.entries().empty());
}

// Every line of a block is indented; whoever puts it after a `- ` takes the first indent away.
void block(std::string& made, const value& content, std::size_t indent) {
    std::string margin(indent, ' ');
    if (content.is_list()) {
        for (const auto& item : content.items()) {
            made += margin + "- ";
            if (is_block(item)) {
                std::string inner;
                block(inner, item, indent + 2);
                made += inner.substr(indent + 2);
            } else {
                made += scalar(item) + "\n";
            }
        }
        return;
    }
    for (const auto& entry : content.entries()) {
        made += margin + scalar_text(entry.key) + ":";
        if (is_block(entry.value)) {
            made += "\n";
            block(made, entry.value, indent + 2);
        } else {
            made += " " + scalar(entry.value) + "\n";
        }
    }
}

} // namespace

std::string to_yaml(const value& content) {
    if (!is_block(content)) {
        return scalar(content) + "\n";
    }
    std::string made;
    block(made, content, 0);
    return made;
}

} // namespace leat::config
