#include "runtime/lease.hpp"

namespace leat::runtime {

lease_state judge(const store::renew_service_outcome& answer, const lease& held) {
    switch (answer.outcome) {
    case 0:
        return lease_state::held;
    case 2:
        return lease_state::foreign;
    case 3:
        return lease_state::data_lost; // ids are never given twice by a server that remembers
    default:
        break;
    }
    if (answer.last_id < held.id) {
        return lease_state::data_lost;
    }
    if (answer.now - held.last_beat >= held.expire) {
        return lease_state::expired;
    }
    // It cannot have expired: deleted, unless this is a server that has never heard of it or came back without it.
    bool same_server = answer.server.empty() || answer.server.front() == held.server;
    return same_server ? lease_state::remote_shutdown : lease_state::data_lost;
}

} // namespace leat::runtime
