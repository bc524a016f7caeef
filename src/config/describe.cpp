#include "base/mask.hpp"
#include "base/unicode.hpp"
#include "config/value.hpp"

#include <spdlog/fmt/fmt.h>

namespace leat::config {

namespace {

// A message is one line, whatever the file holds, and no place for a password.
std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 60;
    auto shown = base::mask_url(text);
    return fmt::format("\"{}{}\"", base::printable(shown, longest), shown.size() > longest ? "..." : "");
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
        return "text " + in_quotes(content.text());
    case value_shape::list:
        return "a list";
    case value_shape::map:
        break;
    }
    return "a map";
}

} // namespace leat::config
