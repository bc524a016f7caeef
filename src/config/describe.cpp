#include "config/unicode.hpp"
#include "config/value.hpp"

#include <spdlog/fmt/fmt.h>

namespace leat::config {

namespace {

// A message is one line, whatever the file holds.
std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 60;
    std::string shown;
    while (!text.empty() && shown.size() < longest) {
        auto length = character_length(text);
        auto byte = static_cast<unsigned char>(text.front());
        if (length == 0 || byte < 0x20 || byte == 0x7f) {
            shown += fmt::format("\\x{:02x}", byte);
            length = 1;
        } else {
            shown += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return fmt::format("\"{}{}\"", shown, text.empty() ? "" : "...");
}

} // namespace

std::string describe(const value& content) {
    switch (content.shape()) {
    case value_shape::null:
        return "nothing";
    case value_shape::boolean:
        return content.boolean() ? "true" : "false";
    case value_shape::whole:
        return content.raw().empty() ? fmt::format("{}", content.whole()) : content.raw().substr(0, 60);
    case value_shape::number:
        return content.raw().empty() ? fmt::format("{}", content.number()) : content.raw().substr(0, 60);
    case value_shape::text:
        return "text " + quoted(content.text());
    case value_shape::list:
        return "a list";
    case value_shape::map:
        break;
    }
    return "a map";
}

} // namespace leat::config
