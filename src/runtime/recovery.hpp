#pragma once

#include "base/log.hpp"
#include "base/stop_signal.hpp"
#include "redis/backoff.hpp"
#include "redis/link.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace leat::runtime {

// What a loop of the message path does about a failed call: it waits as the error's class demands, tells once that it
// began and once that it ended, and says whether to go on. A loop never exits silently and never spins.
class recovery {
public:
    recovery(redis::link& server, redis::link& listener, base::log_ptr log, base::stop_signal& stop);

    // Until there is a connection, or none can be had.
    boost::asio::awaitable<void> await_connection();
    // True: try again. False: give up, the reason has been told.
    boost::asio::awaitable<bool> after(redis::failure failed);
    // A call went well.
    void over();
    std::uint64_t failures() const { return failures_; }

private:
    void tell(const redis::failure& failed);
    void align();

    redis::link& server_;
    redis::link& listener_;
    base::log_ptr log_;
    base::stop_signal& stop_;
    redis::backoff pause_;
    std::optional<std::string> told_;
    std::uint64_t failures_ = 0;
    std::uint64_t aligned_server_ = 0; // connects() of the two when they were last known to belong together
    std::uint64_t aligned_listener_ = 0;
};

} // namespace leat::runtime
