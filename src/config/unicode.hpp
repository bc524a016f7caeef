#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace leat::config {

// Bytes of the UTF-8 character at the front of the text, or 0 when there is none: a stray or cut sequence, an overlong
// form, a surrogate, a code beyond U+10FFFF.
std::size_t character_length(std::string_view text);

// Offset of the first byte that is not UTF-8, or npos.
std::size_t first_bad_byte(std::string_view text);

void append_utf8(std::string& text, char32_t code);

} // namespace leat::config
