#pragma once

#include "runtime/kind.hpp"

namespace leat::routing {} // namespace leat::routing
