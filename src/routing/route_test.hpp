#pragma once

#include "routing/route_case.hpp"

#include <string>
#include <vector>

namespace leat::routing {

// Runs it; `server` is the URL of an empty server, or empty when none is needed. Lines that say what is different from
// what was expected; none: it has passed.
std::vector<std::string> run_route_case(
    const route_case& one, const router_settings& settings, const processor_table& known, const std::string& server);

} // namespace leat::routing
