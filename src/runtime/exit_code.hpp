#pragma once

namespace leat::runtime {

// Ordered by severity: a process of several services ends with the worst.
enum class exit_code : int {
    asked = 0,  // stopped as asked
    failed = 1, // failed while running
    usage = 2,  // bad usage or configuration
};

} // namespace leat::runtime
