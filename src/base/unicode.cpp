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

char32_t character_code(std::string_view text) {
    auto length = character_length(text);
    auto first = static_cast<unsigned char>(text.front());
    char32_t code = length < 2 ? first : first & (0xffU >> (length + 1));
    for (std::size_t at = 1; at < length; ++at) {
        code = (code << 6) | (static_cast<unsigned char>(text[at]) & 0x3fU);
    }
    return code;
}

bool is_terminal_order(char32_t code) {
    auto within = [code](char32_t first, char32_t last) { return code >= first && code <= last; };
    return within(0x7f, 0x9f) || code == 0x61c || within(0x200e, 0x200f) || within(0x202a, 0x202e) ||
           within(0x2066, 0x2069);
}

std::string printable(std::string_view text, std::size_t most) {
    std::string shown;
    for (std::size_t offset = 0; offset < text.size() && offset < most;) {
        auto length = character_length(text.substr(offset));
        auto byte = static_cast<unsigned char>(text[offset]);
        if (length == 0 || byte < 0x20 || is_terminal_order(character_code(text.substr(offset)))) {
            shown += fmt::format("\\x{:02x}", byte);
            length = 1;
        } else {
            shown += text.substr(offset, length);
        }
        offset += length;
    }
    return shown;
}

std::string_view beginning(std::string_view text, std::size_t most) {
    if (text.size() <= most) {
        return text;
    }
    auto end = most;
    auto continues = [&text](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U; };
    while (end > 0 && most - end < 4 && continues(end)) {
        --end;
    }
    return text.substr(0, end);
}

std::string printable_lines(std::string_view text) {
    std::string shown;
    for (;;) {
        auto end = text.find('\n');
        shown += printable(text.substr(0, end), text.size());
        if (end == std::string_view::npos) {
            return shown;
        }
        shown += '\n';
        text.remove_prefix(end + 1);
    }
}

std::size_t character_columns(std::string_view text) {
    if (character_length(text) < 2) {
        return 1;
    }
    auto code = character_code(text);
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
