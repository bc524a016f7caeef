#include "routing/query_reader.hpp"

#include "base/unicode.hpp"
#include "config/problem.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace leat::routing {

namespace json = boost::json;

namespace {

query_fault bad(std::string message) {
    return {query_faults::bad_query, std::move(message)};
}

std::string shown(std::string_view name) {
    return "`" + base::printable(name, 60) + "`";
}

// A scalar as an argument; nothing when it is none, or a number whose digits are not known any more.
std::optional<std::string> scalar_text(const json::value& given) {
    if (given.is_string()) {
        return std::string{given.get_string()};
    }
    if (given.is_bool()) {
        return given.get_bool() ? "true" : "false";
    }
    std::array<char, 512> digits{}; // the smallest number has 326
    auto* last = digits.data() + digits.size();
    std::to_chars_result end{digits.data(), std::errc::invalid_argument};
    if (given.is_int64()) {
        end = std::to_chars(digits.data(), last, given.get_int64());
    } else if (given.is_uint64()) {
        end = std::to_chars(digits.data(), last, given.get_uint64());
    } else if (given.is_double() && std::abs(given.get_double()) < 0x1p53) {
        end = std::to_chars(digits.data(), last, given.get_double(), std::chars_format::fixed);
    }
    if (end.ec != std::errc{}) {
        return std::nullopt;
    }
    return std::string{digits.data(), end.ptr};
}

query_result<void> read_parameters(const json::object& query, query_text& made) {
    const auto* given = query.if_contains("parameters");
    const auto* other = query.if_contains("paramaters"); // as the first description of queries spells it
    if (given != nullptr && other != nullptr) {
        return bad("`parameters` is there twice, once as `paramaters`");
    }
    given = given != nullptr ? given : other;
    if (given == nullptr || given->is_null()) {
        return {};
    }
    if (!given->is_object()) {
        return bad("`parameters` must be a map of names and values");
    }
    for (const auto& [name, value] : given->get_object()) {
        auto text = scalar_text(value);
        if (name.empty()) {
            return bad("a parameter has an empty name");
        }
        if (!text && value.is_double()) {
            return bad("the parameter " + shown(name) + " is too large a number to be exact: send it as a text");
        }
        if (!text) {
            return bad("the parameter " + shown(name) + " must be a text, a number, true or false");
        }
        made.parameters.emplace(name, std::move(*text));
    }
    return {};
}

base::result<std::vector<std::string>> texts_of(const json::value& command) {
    if (command.is_string()) {
        return split_words(command.get_string());
    }
    if (!command.is_array()) {
        return base::error{"`command` must be a text, or a list of texts"};
    }
    std::vector<std::string> texts;
    for (const auto& each : command.get_array()) {
        auto text = scalar_text(each);
        if (!text) {
            return base::error{"`command` holds something that is no text"};
        }
        texts.push_back(std::move(*text));
    }
    return texts;
}

query_result<void> read_words(const json::value& command, query_text::step& made) {
    auto texts = texts_of(command);
    if (!texts) {
        return bad(made.where + ": " + texts.error().text);
    }
    for (const auto& each : *texts) {
        auto word = read_word(each);
        if (!word) {
            return bad(made.where + ": " + word.error().text);
        }
        made.words.push_back(std::move(*word));
    }
    if (made.words.empty()) {
        return bad(made.where + ": `command` is empty");
    }
    return {};
}

query_result<void> read_step(const json::value& given, query_text::step& made) {
    if (!given.is_object()) {
        return bad(made.where + ": expected {command, save}");
    }
    const auto& map = given.get_object();
    for (const auto& each : map) {
        static const std::vector<std::string> known{"command", "save"};
        if (each.key() != known[0] && each.key() != known[1]) {
            return bad(made.where + ": unknown key " + shown(each.key()) + config::did_you_mean(each.key(), known));
        }
    }
    const auto* save = map.if_contains("save");
    if (save != nullptr && !save->is_null()) {
        if (!save->is_string() || save->get_string().empty()) {
            return bad(made.where + ": `save` must be a name");
        }
        made.save = save->get_string();
        made.where += " (save " + shown(made.save) + ")";
    }
    const auto* command = map.if_contains("command");
    if (command == nullptr) {
        return bad(made.where + ": `command` is missing");
    }
    return read_words(*command, made);
}

} // namespace

query_result<query_text> read_query(const json::value& query, std::size_t max_commands) {
    const auto* commands = query.is_object() ? query.get_object().if_contains("commands") : nullptr;
    if (commands == nullptr || !commands->is_array() || commands->get_array().empty()) {
        return bad("expected a JSON object with `commands`, a list of {command, save}");
    }
    const auto& all = commands->get_array();
    if (all.size() > max_commands) {
        return query_fault{
            query_faults::too_large,
            std::to_string(all.size()) + " commands are more than maxCommands, " + std::to_string(max_commands)};
    }
    query_text made;
    auto read = read_parameters(query.get_object(), made);
    for (std::size_t i = 0; read && i < all.size(); ++i) {
        auto& step = made.steps.emplace_back();
        step.where = "commands[" + std::to_string(i) + "]";
        read = read_step(all[i], step);
    }
    if (!read) {
        return read.error();
    }
    return made;
}

} // namespace leat::routing
