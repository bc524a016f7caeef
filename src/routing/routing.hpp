#pragma once

#include "runtime/kind.hpp"

namespace leat::routing {

runtime::kind router_kind();

} // namespace leat::routing
