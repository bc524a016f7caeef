#pragma once

#include <string>

namespace leat::base {

// Hexadecimal digits that nobody else has: for tokens, and for the names of instances.
std::string random_name(int digits = 16);

} // namespace leat::base
