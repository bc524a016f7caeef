#include "base/mask.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace leat::base {
namespace {

// Redis writes a space for what would end its line.
bool same_byte(char shown, char secret) {
    return shown == secret || (shown == ' ' && (secret == '\r' || secret == '\n'));
}

bool is_encoded(std::string_view shown, char secret) {
    unsigned byte = 0;
    if (shown.size() < 3 || shown.front() != '%') {
        return false;
    }
    auto [end, bad] = std::from_chars(shown.data() + 1, shown.data() + 3, byte, 16);
    return bad == std::errc{} && end == shown.data() + 3 && byte == static_cast<unsigned char>(secret);
}

// How much of the front of the text is the secret; 0 when it is not there.
std::size_t length_of(std::string_view text, std::string_view secret, bool encoded) {
    std::size_t length = 0;
    for (char each : secret) {
        auto rest = text.substr(length);
        if (encoded && is_encoded(rest, each)) {
            length += 3;
        } else if (!rest.empty() && same_byte(rest.front(), each)) {
            ++length;
        } else {
            return 0;
        }
    }
    return length;
}

void mark_whole(std::string_view text, std::string_view secret, std::vector<bool>& hidden) {
    for (std::size_t at = 0; at < text.size() && !secret.empty(); ++at) {
        auto length = std::max(length_of(text.substr(at), secret, false), length_of(text.substr(at), secret, true));
        std::fill_n(hidden.begin() + static_cast<std::ptrdiff_t>(at), length, true);
    }
}

// ... with args beginning with: '3' 'AUTH' 'bob' 'the first part of
// The cut argument is the last one. It has its quotes, but its own quotes and blanks may look like others'.
void mark_cut(std::string_view text, std::string_view secret, std::vector<bool>& hidden) {
    auto arguments = text.find("with args beginning with: ");
    auto last = text.find_last_not_of(" ,");
    if (arguments == std::string_view::npos || last == std::string_view::npos) {
        return;
    }
    for (auto first = text.find(text[last], arguments); first < last; first = text.find(text[last], first + 1)) {
        auto cut = text.substr(first + 1, last - first - 1);
        if (!cut.empty() && cut.size() < secret.size() && length_of(cut, secret.substr(0, cut.size()), false) > 0) {
            std::fill_n(hidden.begin() + static_cast<std::ptrdiff_t>(first + 1), cut.size(), true);
            return;
        }
    }
}

} // namespace

std::string mask_url(std::string_view url) {
    std::string masked{url};
    for (std::string_view name : {"?password=", "&password="}) {
        auto found = masked.find(name);
        if (found != std::string::npos) {
            auto from = found + name.size();
            masked.replace(from, masked.find('&', from) - from, "***");
        }
    }
    auto scheme = masked.find("://");
    auto start = scheme == std::string::npos ? 0 : scheme + 3;
    // A password may hold a raw `/`, `?` or `@` by mistake: all between the first colon and the last `@` is hidden.
    auto at = masked.rfind('@');
    auto colon = masked.find(':', start);
    if (at != std::string::npos && colon < at) {
        masked.replace(colon + 1, at - colon - 1, "***");
    }
    return masked;
}

std::string mask_secrets(std::string_view text, std::span<const std::string> secrets) {
    std::vector<bool> hidden(text.size());
    for (const auto& secret : secrets) {
        mark_whole(text, secret, hidden);
        mark_whole(text, std::string_view{secret}.substr(0, secret.find('\0')), hidden); // where a text of C ends
        mark_cut(text, secret, hidden);
    }
    std::string masked;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!hidden[at]) {
            masked += text[at];
        } else if (at == 0 || !hidden[at - 1]) {
            masked += "***";
        }
    }
    return masked;
}

} // namespace leat::base
