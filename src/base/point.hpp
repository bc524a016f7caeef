#pragma once

#include <string_view>

namespace leat::base {

// A named step of the message path is reached. Does nothing; the tests link a program whose own version of this
// function kills the process at the point that they name, to show that no moment is a bad one.
void reached(std::string_view point);

} // namespace leat::base
