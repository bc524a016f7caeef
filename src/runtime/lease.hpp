#pragma once

#include "store/service.hpp"

#include <chrono>
#include <cstdint>

namespace leat::runtime {

// What a heartbeat's answer says about our registration.
enum class lease_state : std::uint8_t {
    held,            // all is well
    remote_shutdown, // somebody deleted the key: stop, as asked
    expired,         // we were away for longer than serviceExpire: others may think us dead
    data_lost,       // the server has forgotten all of us: register anew
    foreign,         // somebody else writes our key
};

// `unseen` is the time since the last heartbeat that is known to have arrived.
lease_state judge(
    const store::scripts::renew_service_outcome& answer, std::int64_t id, std::chrono::steady_clock::duration unseen,
    std::chrono::seconds expire);

} // namespace leat::runtime
