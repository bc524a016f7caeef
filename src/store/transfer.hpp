#pragma once

#include <cstddef>
#include <cstdint>

namespace leat::store {

// How much one call may move, so that Redis is held for a few milliseconds at most: the work is one read and one push
// per out for each message.
struct batch_bounds {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
};
batch_bounds bounds_for(std::size_t outs);
batch_bounds bounds_for_tracked(std::size_t outs); // each is hashed or parsed, and written of

} // namespace leat::store
