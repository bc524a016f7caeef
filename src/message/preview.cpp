#include "message/preview.hpp"

#include <spdlog/fmt/fmt.h>

namespace leat::message {
namespace {

// The length of the UTF-8 character at the start of the text; 0 when it is none.
std::size_t character_length(std::string_view text) {
    auto first = static_cast<unsigned char>(text[0]);
    std::size_t length = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if ((first >= 0x80 && first < 0xC2) || first > 0xF4 || text.size() < length) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
            return 0;
        }
    }
    return length;
}

} // namespace

std::string preview(std::string_view payload, std::size_t most) {
    std::string shown;
    auto rest = payload.substr(0, most);
    while (!rest.empty()) {
        auto length = character_length(rest);
        auto first = static_cast<unsigned char>(rest[0]);
        if (length == 0 || first < 0x20 || first == 0x7F) {
            shown += fmt::format("\\x{:02x}", first);
            length = 1;
        } else {
            shown += rest.substr(0, length);
        }
        rest.remove_prefix(length);
    }
    if (payload.size() > most) {
        shown += fmt::format("... ({} bytes)", payload.size());
    }
    return shown;
}

} // namespace leat::message
