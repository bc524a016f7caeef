#pragma once

#include "base/log.hpp"
#include "redis/server.hpp"
#include "taking/recovery_plan.hpp"
#include "taking/taking_counts.hpp"
#include "taking/work_loop.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace leat::taking {

// Recovers what dead instances had in flight, when their leases have ended or their processes are known to be gone.
// There may be very many: each call is bounded, and the loop does other work between two. `recovery_plan` decides.
class dead_consumers {
public:
    using clock = recovery_plan::clock;
    // `what` must outlive it.
    dead_consumers(redis::server server, const work& what, taking_counts& counts, base::log_ptr log);

    void begin() { plan_.begin(clock::now()); } // we have a lease
    clock::time_point due() const;
    void due_in(std::chrono::milliseconds lease) { plan_.next_lease_ends(clock::now(), lease); }

    struct found {
        std::int64_t recovered = 0;
        std::int64_t buried = 0;
    };
    // One call: those whose leases have ended come first, then those of this machine whose process is gone, which are
    // looked for once per lease of ours. While there is more to do it is due again at once. `own` is our id. A refusal
    // is seen to here.
    boost::asio::awaitable<redis::result<found>> recover(std::int64_t own, std::string service, std::string metrics);

private:
    boost::asio::awaitable<void> look_for_gone(std::int64_t from);
    boost::asio::awaitable<redis::result<found>> recover_some(
        std::int64_t own, std::string service, std::string metrics);

    redis::server server_;
    const work& work_;
    taking_counts& counts_;
    base::log_ptr log_;
    recovery_plan plan_;
};

} // namespace leat::taking
