#pragma once

#include "base/log.hpp"
#include "redis/link.hpp"
#include "taking/work_loop.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace leat::taking {

// Sees to what dead instances had in hand, when their leases have ended or their processes are known to be gone.
class dead_takers {
public:
    using clock = std::chrono::steady_clock;
    // `what` must outlive it.
    dead_takers(redis::link& server, const work& what, base::log_ptr log);

    void begin(); // we have a lease: look at once
    clock::time_point due() const;
    void due_in(std::chrono::milliseconds lease); // the next lease of another ends then

    struct found {
        std::int64_t recovered = 0;
        std::int64_t buried = 0;
    };
    // `own` is our id among the takers.
    boost::asio::awaitable<redis::result<found>> recover(std::int64_t own, std::string service, std::string metrics);

private:
    boost::asio::awaitable<std::vector<std::string>> find_gone();

    redis::link& server_;
    const work& work_;
    base::log_ptr log_;
    clock::time_point at_;
    clock::time_point done_at_;
    bool look_for_gone_ = true;
};

} // namespace leat::taking
