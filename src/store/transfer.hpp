#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

namespace leat::store {

// How much one call may move, so that Redis is held for a few milliseconds at most: the work is one read and one push
// per out for each message.
struct batch_bounds {
    std::int64_t count = 0;
    std::int64_t bytes = 0;
};
batch_bounds bounds_for(std::size_t outs);
batch_bounds bounds_for_tracked(std::size_t outs); // each is hashed or parsed, and written of

// Moves a batch, all or nothing. When the answer is lost nothing needs to be undone or repeated: what was moved is
// moved, the rest is still in the source.
boost::asio::awaitable<redis::result<scripts::transfer_outcome>> transfer(
    redis::link& server, scripts::transfer_call call);
boost::asio::awaitable<redis::result<scripts::transfer_tracked_outcome>> transfer_tracked(
    redis::link& server, scripts::transfer_tracked_call call);
boost::asio::awaitable<redis::result<scripts::transfer_described_outcome>> transfer_described(
    redis::link& server, scripts::transfer_described_call call);

} // namespace leat::store
