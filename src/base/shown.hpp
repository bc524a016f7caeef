#pragma once

#include <cstdint>
#include <string>

namespace leat::base {

// Numbers, times and names as people are shown them.

// 1234567 -> 1,234,567
std::string grouped(std::int64_t number);

// Of seconds: 42s, 5m, 3h, 12d; `-` when it is negative: nobody knows.
std::string short_time(std::int64_t seconds);

// Of milliseconds: 4.2 s; longer times as short_time has them; `-` when it is negative.
std::string shown_left(std::int64_t milliseconds);

// Milliseconds since 1970: 2026-01-02 03:04:05.678 UTC
std::string utc_time(std::int64_t milliseconds);

// A name that others have chosen, harmless to a terminal; a long one is cut, and shows it.
std::string shown_name(const std::string& name);

} // namespace leat::base
