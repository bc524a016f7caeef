#pragma once

#include "config/source.hpp"

namespace leat::config {

// The words of JSON, and with `relaxed` those of a JavaScript literal. Throws syntax_error.
class literal_scanner {
public:
    literal_scanner(const source& from, bool relaxed)
        : from_{from}
        , relaxed_{relaxed} {}

    std::size_t offset() const { return next_; }
    position here() const { return from_.at(next_); }
    bool relaxed() const { return relaxed_; }
    bool at_end() const { return next_ >= from_.text().size(); }
    char peek() const { return at_end() ? '\0' : from_.text()[next_]; }

    // Past blanks and, when relaxed, comments.
    void skip_blanks();
    // Past the character if it comes next, and then past blanks.
    bool skip(char expected);
    // Past `module.exports` and the like, if these very words come next.
    bool skip_words(std::string_view words);

    // A quote and what it holds.
    bool at_text() const;
    std::string text();
    // A name, with dots: `true`, `process.env.HOME`; empty when none comes next.
    std::string_view name();
    // The digits of a number; empty when none comes next.
    std::string_view number();

    // For a message: the name or the character that comes next.
    std::string found() const;
    [[noreturn]] void fail(std::string text) const;
    [[noreturn]] void fail(std::size_t offset, std::string text) const;

private:
    void skip_comment();
    void escape(std::string& made);
    char32_t hex(std::size_t digits);
    char32_t unicode_escape();
    char take() { return from_.text()[next_++]; }
    std::string_view rest() const { return from_.text().substr(next_); }

    const source& from_;
    bool relaxed_;
    std::size_t next_ = 0;
};

} // namespace leat::config
