#pragma once

#include "config/value.hpp"

namespace leat::config {

// The text of one file, and where in it an offset is.
class source {
public:
    source(std::string_view text, std::string file);

    std::string_view text() const { return text_; }
    const std::string& file() const { return file_; }
    position at(std::size_t offset) const;

private:
    std::string_view text_;
    std::string file_;
    std::vector<std::size_t> line_starts_;
    // Where the last question was answered: on a file of one long line the next is a few bytes on, not a megabyte.
    mutable std::size_t known_offset_ = 0;
    mutable int known_column_ = 1;
};

// Ends the reading of a file at its first syntax error; never leaves read_text.
struct syntax_error {
    position where;
    std::string text;
};

// What a file may grow to: a few bytes can stand for many, by an alias or a variable. The limits are in reader.hpp.
class growth {
public:
    // Throws syntax_error at the value that is too much.
    void add(std::size_t values, std::size_t bytes, const position& where);

private:
    std::size_t values_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace leat::config
