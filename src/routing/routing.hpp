#pragma once

#include "runtime/kind.hpp"

namespace leat::routing {

runtime::kind rquery_kind();

} // namespace leat::routing
