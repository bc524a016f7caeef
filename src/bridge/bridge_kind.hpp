#pragma once

#include "runtime/kind.hpp"

namespace leat::bridge {

runtime::kind bridge_kind();

} // namespace leat::bridge
