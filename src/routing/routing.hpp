#pragma once

#include "runtime/kind.hpp"

namespace leat::routing {

runtime::kind mdispatch_kind();
runtime::kind router_kind();
runtime::kind rquery_kind();

} // namespace leat::routing
