#include "lua_tokens.hpp"

#include <array>
#include <cctype>
#include <set>
#include <stdexcept>
#include <string_view>

namespace embed_scripts {
namespace {

const std::set<std::string, std::less<>> keywords{"and", "break",    "do",     "else", "elseif", "end",   "false",
                                                  "for", "function", "if",     "in",   "local",  "nil",   "not",
                                                  "or",  "repeat",   "return", "then", "true",   "until", "while"};

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class reader {
public:
    explicit reader(const std::string& text)
        : text_{text} {}

    std::vector<lua_token> read() {
        while (skip_blank()) {
            auto from = at_;
            auto kind = next();
            out_.push_back({kind, text_.substr(from, at_ - from), line_, spaced_});
        }
        out_.push_back({lua_token::kind::end, "", line_, true});
        return std::move(out_);
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error{std::to_string(line_) + ": " + what};
    }

    bool starts(std::string_view with) const { return text_.compare(at_, with.size(), with) == 0; }

    bool skip_blank() {
        spaced_ = false;
        while (at_ < text_.size()) {
            if (starts("--[[")) {
                fail("long comments are not read here");
            }
            if (starts("--") || (at_ == 0 && starts("#!"))) {
                at_ = std::min(text_.find('\n', at_), text_.size());
            } else if (text_[at_] == '\n') {
                ++line_;
                ++at_;
            } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
                ++at_;
            } else {
                return true;
            }
            spaced_ = true;
        }
        return false;
    }

    lua_token::kind next() {
        auto from = at_;
        char first = text_[at_];
        if (std::isdigit(static_cast<unsigned char>(first)) != 0) {
            while (at_ < text_.size() && (is_word(text_[at_]) || (text_[at_] == '.' && !starts("..")))) {
                ++at_;
            }
            return lua_token::kind::literal;
        }
        if (is_word(first)) {
            while (at_ < text_.size() && is_word(text_[at_])) {
                ++at_;
            }
            return keywords.contains(text_.substr(from, at_ - from)) ? lua_token::kind::keyword : lua_token::kind::name;
        }
        if (first == '\'' || first == '"') {
            read_quoted(first);
            return lua_token::kind::literal;
        }
        if (starts("[[") || starts("[=")) {
            fail("long strings are not read here");
        }
        for (std::string_view sign : {"...", "..", "==", "~=", "<=", ">="}) {
            if (starts(sign)) {
                at_ += sign.size();
                return lua_token::kind::sign;
            }
        }
        ++at_;
        return lua_token::kind::sign;
    }

    void read_quoted(char quote) {
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] == '\n') {
                break;
            }
            at_ += text_[at_] == '\\' ? 1 : 0;
        }
        if (at_ >= text_.size() || text_[at_] != quote) {
            fail("a text that does not end");
        }
        ++at_;
    }

    const std::string& text_;
    std::size_t at_ = 0;
    int line_ = 1;
    bool spaced_ = false;
    std::vector<lua_token> out_;
};

// Whether two tokens would be read as something else without a space between.
bool would_join(const lua_token& left, const lua_token& right) {
    if (is_word(left.text.back()) && is_word(right.text.front())) {
        return true;
    }
    bool dots = left.text.back() == '.' && (right.text.front() == '.' || right.is == lua_token::kind::literal);
    bool number = left.is == lua_token::kind::literal && right.text.front() == '.';
    return dots || number || (left.text == "-" && right.text.front() == '-') || (left.text == "[" && right.text == "[");
}

} // namespace

std::vector<lua_token> lua_tokens(const std::string& text) {
    return reader{text}.read();
}

std::string lua_from(const std::vector<lua_token>& tokens) {
    std::string out;
    const lua_token* last = nullptr;
    for (const auto& each : tokens) {
        if (each.is == lua_token::kind::end) {
            break;
        }
        if (last != nullptr && each.line != last->line) {
            out += '\n';
        } else if (last != nullptr && (each.spaced || would_join(*last, each))) {
            out += ' ';
        }
        last = &each;
        out += each.text;
    }
    return out + "\n";
}

} // namespace embed_scripts
