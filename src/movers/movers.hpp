#pragma once

#include "runtime/kind.hpp"

namespace leat::movers {

runtime::kind mpush_kind();

} // namespace leat::movers
