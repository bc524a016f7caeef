#include "runtime/registration_state.hpp"

namespace leat::runtime {

registration_state state_of(const store::renew_service_outcome& answer, const held_registration& held) {
    switch (answer.outcome) {
    case 0:
        return registration_state::held;
    case 2:
        return registration_state::foreign;
    case 3:
        return registration_state::data_lost; // ids are never given twice by a server that remembers
    default:
        break;
    }
    if (answer.last_id < held.id) {
        return registration_state::data_lost;
    }
    if (answer.now - held.last_beat >= held.expire) {
        return registration_state::expired;
    }
    // It cannot have expired: deleted, unless this is a server that has never heard of it or came back without it.
    bool same_server = answer.server.empty() || answer.server.front() == held.server;
    return same_server ? registration_state::remote_shutdown : registration_state::data_lost;
}

} // namespace leat::runtime
