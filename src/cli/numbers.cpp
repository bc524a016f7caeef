#include "cli/numbers.hpp"

namespace leat::cli {

std::string grouped(std::int64_t number) {
    auto digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3) {
        digits.insert(static_cast<std::size_t>(at), ",");
    }
    return digits;
}

std::string short_time(std::int64_t seconds) {
    if (seconds < 0) {
        return "-";
    }
    if (seconds < 120) {
        return std::to_string(seconds) + "s";
    }
    if (seconds < 7200) {
        return std::to_string(seconds / 60) + "m";
    }
    return seconds < 172'800 ? std::to_string(seconds / 3600) + "h" : std::to_string(seconds / 86'400) + "d";
}

} // namespace leat::cli
