#pragma once

#include "cli/table.hpp"
#include "inspect/queues.hpp"

namespace leat::cli {

// Queues for people.
table as_table(const std::vector<inspect::queue>& queues);

} // namespace leat::cli
