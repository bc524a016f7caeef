#pragma once

#include "movers/moved_batch.hpp"

#include <cstdint>

namespace leat::movers {

enum class next_step : std::uint8_t {
    transfer,       // there is more
    await_message,  // the source is empty
    await_room,     // an out is full
    await_tracking, // as many are tracked as may be
};

// What a mover does after a transfer that went well.
inline next_step next_step_after(const moved_batch& outcome) {
    if (outcome.full > 0) {
        return next_step::await_room;
    }
    if (outcome.no_room) {
        return next_step::await_tracking;
    }
    return outcome.left > 0 ? next_step::transfer : next_step::await_message;
}

} // namespace leat::movers
