#include "cli/table.hpp"

#include "base/unicode.hpp"

#include <algorithm>

namespace leat::cli {

std::size_t columns_of(std::string_view text) {
    std::size_t columns = 0;
    while (!text.empty()) {
        columns += base::character_columns(text);
        text.remove_prefix(std::max<std::size_t>(1, base::character_length(text)));
    }
    return columns;
}

std::string cut(const std::string& text, std::size_t columns) {
    std::string_view rest{text};
    std::size_t taken = 0;
    while (!rest.empty() && taken + base::character_columns(rest) <= columns) {
        taken += base::character_columns(rest);
        rest.remove_prefix(std::max<std::size_t>(1, base::character_length(rest)));
    }
    return text.substr(0, text.size() - rest.size());
}

std::vector<std::string> table::lines(std::size_t width) const {
    std::vector<std::vector<std::string>> all{{}};
    for (const auto& each : columns_) {
        all.front().push_back(each.title);
    }
    all.insert(all.end(), rows_.begin(), rows_.end());
    std::vector<std::size_t> widths(columns_.size());
    for (const auto& row : all) {
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
            widths[i] = std::max(widths[i], columns_of(row[i]));
        }
    }
    std::vector<std::string> made;
    for (const auto& row : all) {
        std::string line;
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
            std::string space(widths[i] - columns_of(row[i]), ' ');
            line += (i == 0 ? "" : "  ") + (columns_[i].right ? space + row[i] : row[i] + space);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        made.push_back(width == 0 ? line : cut(line, width));
    }
    return made;
}

std::string table::text() const {
    std::string made;
    for (const auto& each : lines()) {
        made += each + "\n";
    }
    return made;
}

} // namespace leat::cli
