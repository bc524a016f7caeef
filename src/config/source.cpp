#include "config/source.hpp"

#include "config/reader.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace leat::config {

source::source(std::string_view text, std::string file)
    : text_{text}
    , file_{std::move(file)}
    , line_starts_{0} {
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1)) {
        line_starts_.push_back(end + 1);
    }
}

position source::at(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    auto after = std::ranges::upper_bound(line_starts_, offset);
    auto start = *std::prev(after);
    if (known_offset_ < start || known_offset_ > offset) {
        known_offset_ = start;
        known_column_ = 1;
    }
    // Columns are characters, as an editor counts: bytes that continue one do not count.
    auto characters = std::ranges::count_if(text_.substr(known_offset_, offset - known_offset_), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
    });
    known_column_ += static_cast<int>(characters);
    known_offset_ = offset;
    return {file_, static_cast<int>(after - line_starts_.begin()), known_column_};
}

void growth::add(std::size_t values, std::size_t bytes, const position& where) {
    values_ += values;
    bytes_ += bytes;
    if (values_ > most_values) {
        throw syntax_error{where, fmt::format("the file holds more than {} values", most_values)};
    }
    if (bytes_ > most_expanded) {
        throw syntax_error{
            where, fmt::format(
                       "the file holds more than {} MiB of text, with what its aliases and variables stand for",
                       most_expanded / 1024 / 1024)};
    }
}

} // namespace leat::config
