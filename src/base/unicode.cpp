#include "base/unicode.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace leat::base {

std::size_t character_length(std::string_view text) {
    if (text.empty()) {
        return 0;
    }
    auto byte = [text](std::size_t index) { return static_cast<unsigned char>(text[index]); };
    auto first = byte(0);
    if (first < 0x80) {
        return 1;
    }
    std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) {
        return 0;
    }
    for (std::size_t index = 1; index < length; ++index) {
        if ((byte(index) & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
    bool surrogate = first == 0xed && byte(1) > 0x9f;
    bool beyond = first == 0xf4 && byte(1) > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

std::size_t first_bad_byte(std::string_view text) {
    for (std::size_t offset = 0; offset < text.size();) {
        auto length = character_length(text.substr(offset));
        if (length == 0) {
            return offset;
        }
        offset += length;
    }
    return std::string_view::npos;
}

namespace {

// What a terminal may take for an order, in UTF-8: the C1 controls, and what turns the direction of writing.
bool is_order(std::string_view character) {
    auto byte = [&character](std::size_t at) { return static_cast<unsigned char>(character[at]); };
    if (character.size() == 2) {
        return byte(0) == 0xc2 && byte(1) < 0xa0;
    }
    if (character.size() != 3 || byte(0) != 0xe2) {
        return false;
    }
    bool mark = byte(1) == 0x80 && (byte(2) == 0x8e || byte(2) == 0x8f || (byte(2) >= 0xaa && byte(2) <= 0xae));
    return mark || (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);
}

} // namespace

std::string printable(std::string_view text, std::size_t most) {
    std::string shown;
    for (std::size_t offset = 0; offset < text.size() && offset < most;) {
        auto length = character_length(text.substr(offset));
        auto byte = static_cast<unsigned char>(text[offset]);
        if (length == 0 || byte < 0x20 || byte == 0x7f || is_order(text.substr(offset, length))) {
            shown += fmt::format("\\x{:02x}", byte);
            length = 1;
        } else {
            shown += text.substr(offset, length);
        }
        offset += length;
    }
    return shown;
}

std::size_t character_columns(std::string_view text) {
    auto length = character_length(text);
    if (length < 2) {
        return 1;
    }
    char32_t code = static_cast<unsigned char>(text[0]) & (0xffU >> (length + 1));
    for (auto each : text.substr(1, length - 1)) {
        code = (code << 6) | (static_cast<unsigned char>(each) & 0x3fU);
    }
    struct range {
        char32_t first, last;
    };
    static constexpr range none[] = {{0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    static constexpr range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xac00, 0xd7a3},
                                     {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
                                     {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
    auto is_in = [code](const range& each) { return code >= each.first && code <= each.last; };
    return std::ranges::any_of(none, is_in) ? 0 : std::ranges::any_of(wide, is_in) ? 2 : 1;
}

void append_utf8(std::string& text, char32_t code) {
    auto put = [&text](char32_t byte) { text.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | (code >> 6));
        put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        put(0xe0 | (code >> 12));
        put(0x80 | ((code >> 6) & 0x3f));
        put(0x80 | (code & 0x3f));
    } else {
        put(0xf0 | (code >> 18));
        put(0x80 | ((code >> 12) & 0x3f));
        put(0x80 | ((code >> 6) & 0x3f));
        put(0x80 | (code & 0x3f));
    }
}

} // namespace leat::base
