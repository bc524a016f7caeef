#pragma once

#include "cli/queue_view.hpp"
#include "cli/table.hpp"
#include "config/value.hpp"

namespace leat::cli {

// Queues for people, and for programs.
table as_table(const std::vector<queue_state>& queues);
config::value as_value(const std::vector<queue_state>& queues);

} // namespace leat::cli
