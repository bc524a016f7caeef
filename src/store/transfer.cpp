#include "store/transfer.hpp"

#include "store/run_verb.hpp"

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

boost::asio::awaitable<redis::result<scripts::transfer_outcome>> transfer(
    redis::link& server, scripts::transfer_call call) {
    return run_verb<scripts::transfer_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::transfer_tracked_outcome>> transfer_tracked(
    redis::link& server, scripts::transfer_tracked_call call) {
    return run_verb<scripts::transfer_tracked_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::transfer_described_outcome>> transfer_described(
    redis::link& server, scripts::transfer_described_call call) {
    return run_verb<scripts::transfer_described_outcome>(server, std::move(call));
}

} // namespace leat::store
