#pragma once

#include <cstdint>
#include <string>

namespace leat::cli {

// 1234567 -> 1,234,567
std::string grouped(std::int64_t number);

// Of seconds, for people: 42s, 5m, 3h, 12d; `-` when it is negative: nobody knows.
std::string short_time(std::int64_t seconds);

} // namespace leat::cli
