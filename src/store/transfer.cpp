#include "store/transfer.hpp"

#include <algorithm>

namespace leat::store {

batch_bounds bounds_for(std::size_t outs) {
    auto writes = static_cast<std::int64_t>(outs) + 1;
    return {.count = std::clamp<std::int64_t>(3000 / writes, 10, 1000), .bytes = (4 << 20) / writes};
}

batch_bounds bounds_for_tracked(std::size_t outs) {
    auto bounds = bounds_for(outs);
    return {
        .count = std::min<std::int64_t>(bounds.count, 256), .bytes = std::min<std::int64_t>(bounds.bytes, 512 << 10)};
}

} // namespace leat::store
