#pragma once

#include "base/stop_signal.hpp"
#include "redis/server.hpp"
#include "runtime/queue_wait.hpp"
#include "tracking/ledger.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>

namespace leat::tracking {

// Takes the reports of workers from the done list, in batches, woken when there are some. A list that is not one is
// told and looked at again; deliveries do not depend on it.
class done_taker {
public:
    done_taker(const ledger& book, redis::server server, base::stop_signal& stop, std::chrono::seconds tick);

    // Until the service stops. False: Redis refuses, the reason has been told.
    boost::asio::awaitable<bool> run();
    std::chrono::steady_clock::time_point last_taken() const { return last_taken_; }

private:
    const ledger& book_;
    redis::server server_;
    base::stop_signal& stop_;
    runtime::queue_wait done_;
    std::chrono::steady_clock::time_point last_taken_;
};

} // namespace leat::tracking
