#pragma once

#include "cli/program.hpp"

namespace leat::cli {

// The parts of `leat queue`, a file each.
void add_queue_ls(CLI::App& queue, program& shared);
void add_queue_peek(CLI::App& queue, program& shared);
void add_queue_push(CLI::App& queue, program& shared);
void add_queue_move(CLI::App& queue, program& shared);
void add_queue_purge(CLI::App& queue, program& shared);
void add_queue_redrive(CLI::App& queue, program& shared);
void add_queue_return(CLI::App& queue, program& shared);

} // namespace leat::cli
