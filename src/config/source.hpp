#pragma once

#include "config/value.hpp"

namespace leat::config {

// The text of one file, and where in it an offset is.
class source {
public:
    source(std::string_view text, std::string file);

    std::string_view text() const { return text_; }
    const std::string& file() const { return file_; }
    place at(std::size_t offset) const;

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
    place where;
    std::string text;
};

} // namespace leat::config
