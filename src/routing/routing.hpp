#pragma once

#include "routing/processor_type.hpp"
#include "runtime/kind.hpp"

namespace leat::routing {

runtime::kind mdispatch_kind();
// A router of these processors, which must outlive it.
runtime::kind router_kind(const processor_table& known);
runtime::kind rquery_kind();

// That this room offers.
std::vector<processor_type> processors();

} // namespace leat::routing
