#include "cli/command_queue.hpp"

namespace leat::cli {

void add_queue(CLI::App& app, program& shared) {
    auto* queue = app.add_subcommand("queue", "Look after queues: list, read, fill, move, empty, bring back");
    queue->require_subcommand(1);
    add_queue_ls(*queue, shared);
    add_queue_peek(*queue, shared);
    add_queue_push(*queue, shared);
    add_queue_move(*queue, shared);
    add_queue_purge(*queue, shared);
    add_queue_redrive(*queue, shared);
    add_queue_return(*queue, shared);
}

} // namespace leat::cli
