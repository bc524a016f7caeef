#include "message/base64.hpp"

#include <cstdint>

namespace leat::message {

namespace {
constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
} // namespace

std::string to_base64(std::string_view bytes) {
    std::string made;
    made.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t three = 0;
        auto count = std::min<std::size_t>(3, bytes.size() - at);
        for (std::size_t i = 0; i < 3; ++i) {
            three = three << 8U | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            made += i <= count ? digits[three >> (18 - 6 * i) & 63U] : '=';
        }
    }
    return made;
}

std::optional<std::string> from_base64(std::string_view text) {
    while (!text.empty() && text.back() == '=') {
        text.remove_suffix(1);
    }
    std::string made;
    made.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    unsigned count = 0; // of bits that are not written yet
    for (char each : text) {
        auto digit = digits.find(each);
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        bits = bits << 6U | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count >= 8) {
            count -= 8;
            made += static_cast<char>(bits >> count & 0xffU);
        }
    }
    return count < 6 ? std::optional{std::move(made)} : std::nullopt;
}

} // namespace leat::message
