#pragma once

#include "base/log.hpp"
#include "base/notice.hpp"
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
    recovery(redis::link& server, base::log_ptr log, base::notice& awake);

    // Until there is a connection, or none can be had.
    boost::asio::awaitable<void> await_connection(const bool& stopping);
    // True: try again. False: give up, the reason has been told.
    boost::asio::awaitable<bool> after(redis::failure failed, const bool& stopping);
    // A call went well.
    void over();
    std::uint64_t failures() const { return failures_; }

private:
    redis::link& server_;
    base::log_ptr log_;
    base::notice& awake_;
    redis::backoff pause_;
    std::optional<std::string> told_;
    std::uint64_t failures_ = 0;
};

} // namespace leat::runtime
