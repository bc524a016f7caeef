#pragma once

#include "redis/link.hpp"
#include "store/scripts.hpp"
#include "store/transfer.hpp"
#include "tracking/tracker.hpp"

namespace leat::movers {

// What a transfer did, with or without tracking.
struct moved_batch {
    std::int64_t moved = 0;
    std::int64_t left = 0;    // still in the source
    std::int64_t largest = 0; // size of the largest message that was read
    std::int64_t full = 0;    // which out is full, from 1, when nothing moved for that reason
    std::int64_t spent = 0;   // microseconds of the server's work
    std::int64_t tracked = 0;
    bool no_room = false;           // for one more message to be tracked, and without it none may go
    std::vector<std::string> shown; // the first of the moved messages, for the debug log
};

// Moves a batch and tracks what it moved: with the same script where the keys are on the same server, else after it, so
// that a crash in between costs tracking, never a message. No tracker: nothing is tracked.
boost::asio::awaitable<redis::result<moved_batch>> move_batch(
    redis::link& queues, tracking::tracker* tracker, store::transfer_call call);

} // namespace leat::movers
