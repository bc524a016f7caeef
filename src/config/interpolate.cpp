#include "config/interpolate.hpp"

#include "base/unicode.hpp"

#include <spdlog/fmt/fmt.h>

namespace leat::config {

namespace {

bool valid_name(std::string_view name) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    constexpr std::string_view others = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return !name.empty() && letters.find(name.front()) != std::string_view::npos &&
           name.find_first_not_of(others) == std::string_view::npos;
}

// What stands for `VAR` or `VAR:default`.
std::optional<std::string> resolve(
    std::string_view body, const position& where, const environment& env, problems& found) {
    auto colon = body.find(':');
    auto name = body.substr(0, colon);
    if (!valid_name(name)) {
        found.error(where, "a ${...} here does not hold the name of a variable; for a literal one write ${{...}}");
        return std::nullopt;
    }
    if (body.find("${") != std::string_view::npos) {
        found.error(where, "a ${...} here stands inside another; a default is plain text");
        return std::nullopt;
    }
    auto content = env(name);
    if (!content && colon == std::string_view::npos) {
        found.error(where, fmt::format("environment variable {} is not set, and ${{{}}} has no default", name, name));
        return std::nullopt;
    }
    if (content && base::first_bad_byte(*content) != std::string_view::npos) {
        found.error(where, fmt::format("environment variable {} is not UTF-8", name));
        return std::nullopt;
    }
    return content ? *content : std::string{body.substr(colon + 1)};
}

} // namespace

value interpolated(std::string_view text, position where, scalar_style style, const environment& env, problems& found) {
    std::string made;
    auto rest = text;
    bool replaced = false;
    for (auto start = rest.find("${"); start != std::string_view::npos; start = rest.find("${")) {
        made += rest.substr(0, start);
        rest.remove_prefix(start);
        auto end = rest.find('}');
        if (end == std::string_view::npos) {
            found.warning(where, "a ${ here has no } and is taken as it stands");
            break;
        }
        auto body = rest.substr(2, end - 2);
        if (body.starts_with('{') && rest.substr(end).starts_with("}}")) {
            made += fmt::format("${{{}}}", body.substr(1));
            rest.remove_prefix(end + 2);
            continue;
        }
        made += resolve(body, where, env, found).value_or("");
        if (made.size() > most_expanded) { // whoever has asked counts it, and ends there
            break;
        }
        replaced = true;
        rest.remove_prefix(end + 1);
    }
    made += rest;
    if (replaced) {
        return value::of_text(std::move(made), std::move(where), scalar_style::loose);
    }
    return style == scalar_style::plain ? value::of_plain(std::move(made), std::move(where))
                                        : value::of_text(std::move(made), std::move(where), style);
}

std::string without_interpolation(std::string_view text) {
    std::string made;
    for (auto start = text.find("${"); start != std::string_view::npos; start = text.find("${")) {
        auto end = text.find('}', start);
        if (end == std::string_view::npos) {
            break;
        }
        made += text.substr(0, start);
        made += fmt::format("${{{{{}}}}}", text.substr(start + 2, end - start - 2));
        text.remove_prefix(end + 1);
    }
    return made.append(text);
}

} // namespace leat::config
