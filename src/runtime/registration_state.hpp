#pragma once

#include "store/service.hpp"

#include <cstdint>
#include <string>

namespace leat::runtime {

// What a heartbeat's answer says about our registration.
enum class registration_state : std::uint8_t {
    held,            // all is well
    remote_shutdown, // somebody deleted the key: stop, as asked
    expired,         // we were away for longer than serviceExpire: others may think us dead
    data_lost,       // the server has forgotten us, or given our id to another: register anew
    foreign,         // somebody else beats for us
};

// What we know of our registration, in the server's own time: ours may stand still with the machine.
struct held_registration {
    std::int64_t id = 0;
    std::int64_t last_beat = 0; // that is known to have arrived
    std::int64_t expire = 0;
    std::string server; // its id
};

registration_state state_of(const store::renew_service_outcome& answer, const held_registration& held);

} // namespace leat::runtime
