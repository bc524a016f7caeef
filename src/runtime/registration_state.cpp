#include "runtime/registration_state.hpp"

namespace leat::runtime {

registration_state state_of(const store::renew_service_outcome& answer, const held_registration& held) {
    switch (answer.state) {
    case store::heartbeat::renewed:
        return registration_state::held;
    case store::heartbeat::beaten_by_other:
        return registration_state::foreign;
    case store::heartbeat::other_registration:
        return registration_state::data_lost; // ids are never given twice by a server that remembers
    case store::heartbeat::key_gone:
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
