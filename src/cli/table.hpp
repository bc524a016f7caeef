#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

// Rows for people, in columns as wide as their widest cell; the last column may be as long as it is.
class table {
public:
    struct column {
        std::string title;
        bool right = false; // numbers are aligned to the right
    };

    explicit table(std::vector<column> columns)
        : columns_{std::move(columns)} {}

    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    // With the titles, a line each, without trailing spaces. Lines are cut at `width` characters; 0: never.
    std::vector<std::string> lines(std::size_t width = 0) const;
    std::string text() const;

private:
    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

// How many columns of a terminal a text takes.
std::size_t columns_of(std::string_view text);
// The first of these columns.
std::string cut(const std::string& text, std::size_t columns);

} // namespace leat::cli
