#pragma once

#include "inspect/conversations.hpp"

#include <string>
#include <vector>

namespace leat::cli {

// All of a conversation for people, a line each.
std::vector<std::string> lines_of(const inspect::conversation& seen);

} // namespace leat::cli
