#pragma once

#include "runtime/kind.hpp"

namespace leat::workers {

runtime::kind exec_kind();

} // namespace leat::workers
