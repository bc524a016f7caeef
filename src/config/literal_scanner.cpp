#include "config/literal_scanner.hpp"

#include "base/unicode.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace leat::config {

namespace {

constexpr std::string_view digits = "0123456789";

bool starts_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool continues_name(char c) {
    return starts_name(c) || digits.find(c) != std::string_view::npos;
}

std::size_t name_length(std::string_view text) {
    if (text.empty() || !starts_name(text.front())) {
        return 0;
    }
    std::size_t length = 0;
    while (length < text.size() && (continues_name(text[length]) || text[length] == '.')) {
        ++length;
    }
    return length;
}

} // namespace

void literal_scanner::fail(std::string text) const {
    fail(next_, std::move(text));
}

void literal_scanner::fail(std::size_t offset, std::string text) const {
    throw syntax_error{from_.at(offset), std::move(text)};
}

std::string literal_scanner::found() const {
    if (at_end()) {
        return "the end of the file";
    }
    auto length = std::max(name_length(rest()), base::character_length(rest()));
    return fmt::format("`{}`", rest().substr(0, std::min<std::size_t>(length, 60)));
}

void literal_scanner::skip_blanks() {
    while (!at_end()) {
        if (std::string_view{" \t\r\n"}.find(peek()) != std::string_view::npos) {
            ++next_;
        } else if (rest().starts_with("//") || rest().starts_with("/*")) {
            skip_comment();
        } else {
            return;
        }
    }
}

void literal_scanner::skip_comment() {
    if (!relaxed_) {
        fail("JSON has no comments");
    }
    bool line = rest().starts_with("//");
    auto end = line ? from_.text().find('\n', next_) : from_.text().find("*/", next_ + 2);
    if (end == std::string_view::npos && !line) {
        fail("this comment has no end");
    }
    next_ = end == std::string_view::npos ? from_.text().size() : end + (line ? 1 : 2);
}

bool literal_scanner::skip(char expected) {
    if (at_end() || peek() != expected) {
        return false;
    }
    ++next_;
    skip_blanks();
    return true;
}

bool literal_scanner::skip_words(std::string_view words) {
    auto start = next_;
    for (bool first = true; !words.empty(); first = false) {
        auto word = words.substr(0, words.find(' '));
        words.remove_prefix(std::min(words.size(), word.size() + 1));
        if (!first) {
            skip_blanks();
        }
        auto length = starts_name(word.front()) ? name_length(rest()) : word.size();
        if (rest().substr(0, length) != word) {
            next_ = start;
            return false;
        }
        next_ += length;
    }
    skip_blanks();
    return true;
}

std::string_view literal_scanner::name() {
    auto found = rest().substr(0, name_length(rest()));
    next_ += found.size();
    return found;
}

std::string_view literal_scanner::number() {
    auto start = next_;
    auto run = [this] {
        auto before = next_;
        next_ = std::min(from_.text().find_first_not_of(digits, next_), from_.text().size());
        return next_ - before;
    };
    auto one_of = [this](std::string_view any) {
        bool is = !at_end() && any.find(peek()) != std::string_view::npos;
        next_ += is ? 1 : 0;
        return is;
    };
    one_of(relaxed_ ? "+-" : "-");
    auto first = next_;
    auto before_point = run();
    bool zero_first = before_point > 1 && from_.text()[first] == '0'; // octal in old JavaScript, wrong in JSON
    bool point = one_of(".");
    auto after_point = point ? run() : 0;
    if (before_point + after_point == 0) {
        next_ = start;
        return {};
    }
    bool bad = zero_first || (!relaxed_ && (before_point == 0 || (point && after_point == 0)));
    if (one_of("eE")) {
        one_of("+-");
        bad |= run() == 0;
    }
    if (bad || continues_name(peek()) || peek() == '.') {
        fail(start, "this is not a decimal number");
    }
    return from_.text().substr(start, next_ - start);
}

bool literal_scanner::at_text() const {
    return peek() == '"' || (relaxed_ && (peek() == '\'' || peek() == '`'));
}

std::string literal_scanner::text() {
    auto start = next_;
    char quote = take();
    std::string made;
    for (;;) {
        if (at_end() || (peek() == '\n' && quote != '`')) {
            fail(start, "this text has no closing quote");
        }
        if (quote == '`' && rest().starts_with("${")) {
            fail("only a literal is allowed here, found ${ in a template; in '...' it takes an environment variable");
        }
        char c = take();
        if (c == quote) {
            return made;
        }
        if (c == '\\') {
            escape(made);
        } else if (!relaxed_ && static_cast<unsigned char>(c) < 0x20) {
            fail(next_ - 1, "a control character in JSON text must be escaped");
        } else {
            made.push_back(c);
        }
    }
}

void literal_scanner::escape(std::string& made) {
    auto start = next_ - 1;
    if (at_end()) {
        fail(start, "this text has no closing quote");
    }
    char c = take();
    constexpr std::string_view letters = "bfnrt\"\\/";
    constexpr std::string_view meanings = "\b\f\n\r\t\"\\/";
    if (auto index = letters.find(c); index != std::string_view::npos) {
        made.push_back(meanings[index]);
    } else if (c == 'u') {
        base::append_utf8(made, unicode_escape());
    } else if (!relaxed_ || digits.substr(1).find(c) != std::string_view::npos) {
        fail(start, "this escape is not known");
    } else if (c == 'x') {
        base::append_utf8(made, hex(2));
    } else if (c == 'v') {
        made.push_back('\v');
    } else if (c == '0') {
        made.push_back('\0');
    } else if (c == '\r' && peek() == '\n') {
        ++next_;
    } else if (c != '\n') { // a line that goes on
        made.push_back(c);
    }
}

char32_t literal_scanner::hex(std::size_t length) {
    auto start = next_;
    char32_t code = 0;
    for (std::size_t index = 0; index < length; ++index) {
        auto digit = at_end() ? std::string_view::npos : std::string_view{"0123456789abcdefABCDEF"}.find(peek());
        if (digit == std::string_view::npos) {
            fail(start, fmt::format("{} hexadecimal digits must follow", length));
        }
        code = code * 16 + static_cast<char32_t>(digit < 16 ? digit : digit - 6);
        ++next_;
    }
    return code;
}

// What follows \u: four digits, or two such for one character beyond U+FFFF, or {digits} in JavaScript.
char32_t literal_scanner::unicode_escape() {
    auto start = next_ - 2;
    char32_t code = 0;
    if (relaxed_ && peek() == '{') {
        auto end = from_.text().find('}', next_);
        if (end == std::string_view::npos || end - next_ < 2 || end - next_ > 7) {
            fail(start, "this escape is not known");
        }
        ++next_;
        code = hex(end - next_);
        ++next_;
    } else {
        code = hex(4);
        if (code >= 0xd800 && code <= 0xdbff && rest().starts_with("\\u")) {
            next_ += 2;
            auto low = hex(4);
            if (low >= 0xdc00 && low <= 0xdfff) {
                return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            }
        }
    }
    if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
        fail(start, "this escape is not a whole character");
    }
    return code;
}

} // namespace leat::config
