#include "message/raw_json.hpp"

#include <boost/json/parse.hpp>

namespace leat::message {

boost::json::value parse_json(std::string_view text, boost::system::error_code& wrong) {
    boost::json::parse_options options;
    options.max_depth = 512;
    return boost::json::parse(text, wrong, {}, options);
}

namespace {

constexpr std::string_view space = " \t\r\n";

std::size_t end_of_text(std::string_view text, std::size_t at) { // at its opening quote
    for (++at; at < text.size() && text[at] != '"'; ++at) {
        at += text[at] == '\\' ? 1 : 0;
    }
    return std::min(at + 1, text.size());
}

std::size_t end_of_value(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    while (at < text.size()) {
        auto each = text[at];
        if (each == '"') {
            at = end_of_text(text, at);
            if (depth == 0) {
                return at;
            }
            continue;
        }
        if (depth == 0 && (each == ',' || each == '}' || each == ']' || space.find(each) != std::string_view::npos)) {
            return at;
        }
        depth += each == '{' || each == '[' ? 1 : 0;
        depth -= each == '}' || each == ']' ? 1 : 0;
        ++at;
        if (depth == 0 && (each == '}' || each == ']')) {
            return at;
        }
    }
    return at;
}

std::size_t skip(std::string_view text, std::size_t at, std::string_view what) {
    return std::min(text.find_first_not_of(what, at), text.size());
}

} // namespace

std::string_view raw_member(std::string_view object, std::string_view key) {
    std::string_view found;
    auto at = skip(object, 0, space);
    at = skip(object, at + 1, space); // its brace
    while (at < object.size() && object[at] == '"') {
        auto end = end_of_text(object, at);
        auto name = object.substr(at + 1, end - at - 2);
        at = skip(object, end, " \t\r\n:");
        end = end_of_value(object, at);
        if (name == key) {
            found = object.substr(at, end - at);
        }
        at = skip(object, end, " \t\r\n,");
    }
    return found;
}

} // namespace leat::message
