#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace leat::base {

// Bytes of the UTF-8 character at the front of the text, or 0 when there is none: a stray or cut sequence, an overlong
// form, a surrogate, a code beyond U+10FFFF.
std::size_t character_length(std::string_view text);

// Offset of the first byte that is not UTF-8, or npos.
std::size_t first_bad_byte(std::string_view text);

// For people: characters as they are, control characters and what is not UTF-8 as \\xNN, so that it is one line and
// harmless to a terminal. At most `most` bytes of the text are shown.
std::string printable(std::string_view text, std::size_t most);

// ... and with its line breaks, for text of several lines.
std::string printable_lines(std::string_view text);

// The beginning of a text, whole characters of at most `most` bytes.
std::string_view beginning(std::string_view text, std::size_t most);

// Whether a terminal may take a character for an order: DEL, the C1 controls, and what turns the direction of writing.
bool is_terminal_order(char32_t code);

// The code of the UTF-8 character at the front of the text, which must be there.
char32_t character_code(std::string_view text);

// Columns that a terminal needs for the UTF-8 character at the front of the text: 2 for the wide ones of East Asia and
// for pictures, 0 for what is drawn into the character before it.
std::size_t character_columns(std::string_view text);

void append_utf8(std::string& text, char32_t code);

} // namespace leat::base
