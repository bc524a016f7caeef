#include "base/shown.hpp"

#include "base/unicode.hpp"

#include <spdlog/fmt/fmt.h>

#include <ctime>

namespace leat::base {

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

std::string shown_left(std::int64_t milliseconds) {
    constexpr std::int64_t long_time = 120'000;
    if (milliseconds < 0) {
        return "-";
    }
    return milliseconds < long_time ? fmt::format("{:.1f} s", static_cast<double>(milliseconds) / 1000)
                                    : short_time(milliseconds / 1000);
}

std::string utc_time(std::int64_t milliseconds) {
    auto seconds = static_cast<std::time_t>(milliseconds / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    return fmt::format(
        "{}-{:02}-{:02} {:02}:{:02}:{:02}.{:03} UTC", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
        parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds % 1000);
}

std::string shown_name(const std::string& name) {
    constexpr std::size_t most = 80;
    return printable(name, most) + (name.size() > most ? "…" : "");
}

} // namespace leat::base
