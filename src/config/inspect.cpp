#include "config/write.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>

namespace leat::config {

namespace {

std::string text(std::string_view content) {
    constexpr std::string_view special = "'\\\b\f\n\r\t";
    constexpr std::string_view letters = "'\\bfnrt";
    std::string made = "'";
    for (char c : content) {
        auto byte = static_cast<unsigned char>(c);
        if (auto index = special.find(c); index != std::string_view::npos) {
            made += {'\\', letters[index]};
        } else if (byte < 0x20 || byte == 0x7f) {
            made += fmt::format("\\x{:02X}", byte);
        } else {
            made += c;
        }
    }
    return made + "'";
}

std::string key(const std::string& name) {
    auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
    };
    bool bare = !name.empty() && !(name.front() >= '0' && name.front() <= '9') && std::ranges::all_of(name, fits);
    return bare ? name : text(name);
}

} // namespace

std::string inspect_line(const value& content) {
    std::vector<std::string> parts;
    switch (content.shape()) {
    case value_shape::null:
        return "null";
    case value_shape::boolean:
        return content.boolean() ? "true" : "false";
    case value_shape::whole:
        return fmt::format("{}", content.whole());
    case value_shape::number:
        return fmt::format("{}", content.number());
    case value_shape::text:
        return text(content.text());
    case value_shape::list:
        for (const auto& item : content.items()) {
            parts.push_back(inspect_line(item));
        }
        return parts.empty() ? "[]" : fmt::format("[ {} ]", fmt::join(parts, ", "));
    case value_shape::map:
        break;
    }
    for (const auto& entry : content.entries()) {
        parts.push_back(fmt::format("{}: {}", key(entry.key), inspect_line(entry.value)));
    }
    return parts.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(parts, ", "));
}

std::string inspect(const value& content) {
    if (!content.is_map() || content.entries().empty()) {
        return inspect_line(content);
    }
    std::vector<std::string> parts;
    for (const auto& entry : content.entries()) {
        parts.push_back(fmt::format("\n      {}: {}", key(entry.key), inspect_line(entry.value)));
    }
    return fmt::format("{{{} }}", fmt::join(parts, ","));
}

} // namespace leat::config
