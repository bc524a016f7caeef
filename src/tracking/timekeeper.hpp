#pragma once

#include "base/stop_signal.hpp"
#include "redis/server.hpp"
#include "store/scripts.hpp"
#include "tracking/done_taker.hpp"
#include "tracking/ledger.hpp"
#include "tracking/service_home.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace leat::tracking {

// What cannot go where it should is tried every second, or less often when it is much: it is over after so long
// without.
inline constexpr std::chrono::seconds untroubled{5};

// Sleeps until the next deadline or retry of the namespace, whoever registered it, and sees to what is due: a batch of
// each with every turn, so that none waits for the other. While anything is tracked it looks at least every second;
// while nothing is, the listener wakes it.
class timekeeper {
public:
    timekeeper(
        const ledger& book, redis::server queues, redis::server service, redis::server stuck, service_home& where,
        const done_taker& reports, base::stop_signal& stop, std::chrono::seconds tick);

    // Until the service stops. False: Redis refuses, the reason has been told.
    boost::asio::awaitable<bool> run();
    // Messages were tracked just now: they are due after our timeout.
    void tracked();

private:
    using clock = std::chrono::steady_clock;
    using due_now = store::time_out_outcome;

    struct progress {
        bool any = false;  // something was delivered
        bool more = false; // more is due
    };

    // One turn; whether there is more to do at once.
    boost::asio::awaitable<redis::result<bool>> turn(due_now& seen);
    boost::asio::awaitable<redis::result<due_now>> see_to_deadlines();
    boost::asio::awaitable<redis::result<progress>> see_to_retries();
    boost::asio::awaitable<redis::result<progress>> delay_retries();
    boost::asio::awaitable<redis::result<bool>> compact();
    boost::asio::awaitable<void> push_handed_retries(std::vector<store::handed_retry> handed);
    boost::asio::awaitable<void> undo_retry(std::string id);
    boost::asio::awaitable<void> sleep(due_now seen);
    bool is_worth_compacting(const due_now& seen) const;
    void note(const std::vector<std::string>& trouble);

    const ledger& book_;
    redis::server queues_;
    redis::server service_;
    redis::server stuck_; // what is wrong with single lists
    service_home& where_;
    const done_taker& reports_;
    base::stop_signal& stop_;
    std::chrono::seconds tick_;
    redis::listener::watch deadlines_;
    clock::time_point wake_at_ = clock::time_point::max();
    std::optional<clock::time_point> troubled_at_; // something could not go where it should
    bool compacting_ = false;
    clock::time_point futile_pass_; // that removed nothing
    std::minstd_rand random_{std::random_device{}()};
};

} // namespace leat::tracking
