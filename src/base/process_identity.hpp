#pragma once

#include <string>
#include <string_view>

namespace leat::base {

// Tells this process from every other, on any machine, before and after a reboot, in any container.
std::string process_identity();

// Whether the process with this identity is known to be gone. Of other machines and containers nothing is known.
bool is_gone(std::string_view identity);

} // namespace leat::base
