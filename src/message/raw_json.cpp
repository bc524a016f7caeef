#include "message/raw_json.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>

#include <limits>

namespace leat::message {

namespace json = boost::json;
using boost::system::error_code;

static json::parse_options deep() {
    json::parse_options options;
    options.max_depth = 512;
    return options;
}

json::value parse_json(std::string_view text, error_code& wrong) {
    return json::parse(text, wrong, {}, deep());
}

namespace {

constexpr std::size_t large = 1 << 20;
constexpr std::size_t long_member = 64 << 10;

// A parser with this only says whether a text is JSON.
struct ignores_all {
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = max_object_size;
    static constexpr std::size_t max_key_size = max_object_size;
    static constexpr std::size_t max_string_size = max_object_size;
    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) { return true; }
    bool on_object_end(std::size_t, error_code&) { return true; }
    bool on_array_begin(error_code&) { return true; }
    bool on_array_end(std::size_t, error_code&) { return true; }
    bool on_key_part(json::string_view, std::size_t, error_code&) { return true; }
    bool on_key(json::string_view, std::size_t, error_code&) { return true; }
    bool on_string_part(json::string_view, std::size_t, error_code&) { return true; }
    bool on_string(json::string_view, std::size_t, error_code&) { return true; }
    bool on_number_part(json::string_view, error_code&) { return true; }
    bool on_int64(std::int64_t, json::string_view, error_code&) { return true; }
    bool on_uint64(std::uint64_t, json::string_view, error_code&) { return true; }
    bool on_double(double, json::string_view, error_code&) { return true; }
    bool on_bool(bool, error_code&) { return true; }
    bool on_null(error_code&) { return true; }
    bool on_comment_part(json::string_view, error_code&) { return true; }
    bool on_comment(json::string_view, error_code&) { return true; }
};

void validate(std::string_view text, error_code& wrong) {
    json::basic_parser<ignores_all> parser{deep()};
    auto read = parser.write_some(false, text.data(), text.size(), wrong);
    if (!wrong && read < text.size()) {
        wrong = json::error::extra_data;
    }
}

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

// Calls it for each member of an object, with the texts of its name and of its value.
template <class Visit>
static void visit_members(std::string_view object, Visit visit) {
    auto at = skip(object, 0, space);
    at = skip(object, at + 1, space); // its brace
    while (at < object.size() && object[at] == '"') {
        auto end = end_of_text(object, at);
        auto name = object.substr(at + 1, end - at - 2);
        at = skip(object, end, " \t\r\n:");
        end = end_of_value(object, at);
        visit(name, object.substr(at, end - at));
        at = skip(object, end, " \t\r\n,");
    }
}

std::string_view raw_member(std::string_view object, std::string_view key) {
    std::string_view found;
    visit_members(object, [&](std::string_view name, std::string_view value) { found = name == key ? value : found; });
    return found;
}

json::value parse_outline(std::string_view text, error_code& wrong) {
    auto first = text.find_first_not_of(space);
    if (text.size() <= large || first == std::string_view::npos || text[first] != '{') {
        return parse_json(text, wrong);
    }
    validate(text, wrong);
    json::object made;
    if (!wrong) {
        visit_members(text, [&](std::string_view name, std::string_view value) {
            bool has_escapes = name.find('\\') != std::string_view::npos; // then nobody finds its text by its name
            auto key = has_escapes ? parse_json('"' + std::string{name} + '"', wrong) : json::value{name};
            made[key.get_string()] =
                value.size() <= long_member || has_escapes ? parse_json(value, wrong) : json::value{};
        });
    }
    return made;
}

} // namespace leat::message
