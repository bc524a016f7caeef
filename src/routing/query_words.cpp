#include "routing/query_words.hpp"

#include "base/unicode.hpp"

#include <algorithm>

namespace leat::routing {
namespace {

bool is_space(char given) {
    return given == ' ' || given == '\t' || given == '\n' || given == '\r';
}

bool is_of_name(char given) {
    return (given >= 'a' && given <= 'z') || (given >= 'A' && given <= 'Z') || (given >= '0' && given <= '9') ||
           given == '_';
}

// What follows a `$`: a name, with or without braces; empty when there is none. `text` is shortened by it.
std::string_view take_name(std::string_view& text) {
    bool in_braces = text.starts_with('{');
    std::size_t begin = in_braces ? 1 : 0;
    auto end = in_braces ? text.find('}') : begin;
    if (!in_braces && !text.empty() && (text[0] < '0' || text[0] > '9')) {
        end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_of_name) - text.begin());
    }
    if (end == std::string_view::npos) {
        return {};
    }
    auto name = text.substr(begin, end - begin);
    text.remove_prefix(std::min(text.size(), end + begin));
    return name;
}

} // namespace

void query_word::add_text(std::string_view text) {
    if (pieces.empty() || pieces.back().is_name) {
        pieces.push_back({std::string{text}, false});
    } else {
        pieces.back().text += text;
    }
}

void query_word::add_name(std::string_view name) {
    pieces.push_back({std::string{name}, true});
}

bool query_word::has_names() const {
    return std::ranges::any_of(pieces, &piece::is_name);
}

std::string_view query_word::known_start() const {
    return pieces.empty() || pieces.front().is_name ? std::string_view{} : pieces.front().text;
}

std::string query_word::shown() const {
    std::string text;
    for (const auto& each : pieces) {
        text += each.is_name ? "$" + each.text : each.text;
    }
    return base::printable(text, 60);
}

base::result<std::vector<std::string>> split_words(std::string_view command) {
    std::vector<std::string> words;
    bool in_word = false;
    for (std::size_t i = 0; i < command.size(); ++i) {
        if (is_space(command[i])) {
            in_word = false;
            continue;
        }
        if (!in_word) {
            words.emplace_back();
            in_word = true;
        }
        if (command[i] != '\'' && command[i] != '"') {
            words.back() += command[i];
            continue;
        }
        auto end = command.find(command[i], i + 1);
        if (end == std::string_view::npos) {
            return base::error{"the quote " + base::printable(command.substr(i), 30) + " is never closed"};
        }
        words.back() += command.substr(i + 1, end - i - 1);
        i = end;
    }
    return words;
}

base::result<query_word> read_word(std::string_view text) {
    query_word made;
    auto whole = text;
    while (!text.empty()) {
        auto plain = text.substr(0, text.find('$'));
        if (!plain.empty()) {
            made.add_text(plain);
            text.remove_prefix(plain.size());
            continue;
        }
        text.remove_prefix(1);
        if (text.starts_with('$')) {
            made.add_text("$");
            text.remove_prefix(1);
            continue;
        }
        auto name = take_name(text);
        if (name.empty()) {
            return base::error{"in `" + base::printable(whole, 60) + "` a $ is followed by no name; $$ is a dollar"};
        }
        made.add_name(name);
    }
    return made;
}

} // namespace leat::routing
