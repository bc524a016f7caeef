#pragma once

#include "store/transfer.hpp"

#include <cstdint>

namespace leat::movers {

enum class next_step : std::uint8_t {
    transfer,      // there is more
    await_message, // the source is empty
    await_room,    // an out is full
};

// What a mover does after a transfer that went well.
inline next_step next_step_after(const store::scripts::transfer_outcome& outcome) {
    if (outcome.full > 0) {
        return next_step::await_room;
    }
    return outcome.left > 0 ? next_step::transfer : next_step::await_message;
}

} // namespace leat::movers
