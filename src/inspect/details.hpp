#pragma once

#include "config/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace leat::inspect {

// JSON that is in Redis, whatever somebody has made of it; a null when it is none.
config::value read_json(std::string_view text);

// What is known of a dead message; an empty map when that cannot be read.
config::value read_details(std::string_view text);
// A text, or a whole number as one; else nothing.
std::string text_of(const config::value& map, std::string_view name);
// Seconds since it died; -1: nobody knows.
std::int64_t age_of(const config::value& details, std::int64_t now);

} // namespace leat::inspect
