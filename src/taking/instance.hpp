#pragma once

#include "redis/server.hpp"
#include "store/keys.hpp"
#include "taking/taker.hpp"
#include "taking/taking_counts.hpp"

#include <cstdint>
#include <string>

namespace leat::taking {

// What the calls of one instance go by: `lease_calls`, `message_calls` and `unread_calls` make them when the taker
// wants one, and tell it what came of it. Owned by the work loop, which makes one call at a time.
struct instance {
    const work& what;
    store::taking_keys keys;
    std::string name;
    redis::server& server;
    taker& decides;
    taking_counts& counts;
    base::log_ptr log;

    redis::link& link() const { return server.calls(); }
    const std::string& token() const { return decides.lease()->token; }
    std::int64_t lease_time() const { return std::chrono::milliseconds{what.lease}.count(); }
};

// What came of a call that was answered.
enum class came_of : std::uint8_t {
    done,
    nothing,    // of it that could end a fault
    lease_lost, // nothing was done: what was in flight is another's
};
using called = boost::asio::awaitable<redis::result<came_of>>;

} // namespace leat::taking
