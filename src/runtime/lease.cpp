#include "runtime/lease.hpp"

namespace leat::runtime {

lease_state judge(
    const store::scripts::renew_service_outcome& answer, std::int64_t id, std::chrono::steady_clock::duration unseen,
    std::chrono::seconds expire) {
    if (answer.outcome == 0) {
        return lease_state::held;
    }
    if (answer.outcome == 2) {
        return lease_state::foreign;
    }
    if (answer.last_id < id) {
        return lease_state::data_lost;
    }
    // A key that cannot have expired yet was deleted.
    return unseen < expire ? lease_state::remote_shutdown : lease_state::expired;
}

} // namespace leat::runtime
