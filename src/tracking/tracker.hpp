#pragma once

#include "base/stop_signal.hpp"
#include "base/task_group.hpp"
#include "redis/url.hpp"
#include "runtime/kind.hpp"
#include "tracking/done_taker.hpp"
#include "tracking/ledger.hpp"
#include "tracking/service_home.hpp"
#include "tracking/timekeeper.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <vector>

namespace leat::tracking {

// Follows the messages of one service. The service owns it, tells it its id before it runs, runs `run` beside its own
// loop, and lets it fill what its transfer writes along. When it ends because Redis refuses, it stops the service.
class tracker {
public:
    tracker(
        const runtime::context& given, const tracking_settings& settings, const tracked_work& work,
        redis::server queues, base::stop_signal& stop);

    void registered(std::int64_t service) { book_.service = service; }
    boost::asio::awaitable<void> run();
    bool failed() const { return failed_; }

    boost::asio::awaitable<home> where() { return where_.locate(); }
    const store::message_keys& keys() const { return book_.keys; }
    // For a script that moves messages and writes the keys of tracking along.
    void fill(store::transfer_tracked_call& call, home where) const;
    bool keeps_bodies() const { return book_.what_next.keeps_bodies; }
    // So many were tracked, and so many went without.
    void moved(std::int64_t tracked, std::int64_t untracked);
    // Of messages that were moved on another server; how many are tracked now.
    boost::asio::awaitable<std::int64_t> track(store::transfer_described_outcome moved_there);
    // How many messages may be moved before there is room to track them; very many when they need not wait for it.
    boost::asio::awaitable<redis::result<std::int64_t>> room();
    // Until it may be worth to look whether there is room for one more.
    boost::asio::awaitable<void> await_room();

    // What cannot be counted is not: neither fails.

private:
    boost::asio::awaitable<void> run_taker();
    boost::asio::awaitable<void> run_timekeeper();
    void missed(std::int64_t many, const std::string& reason);
    bool must_wait() const;
    void fail();

    base::log_ptr log_;
    base::stop_signal& stop_;
    redis::server queues_;
    redis::server service_;
    ledger book_;
    service_home where_;
    done_taker taker_;
    timekeeper timekeeper_;
    redis::listener::watch tracked_; // it changes when a message ends
    base::task_group agents_;
    bool failed_ = false;
    std::uint64_t untracked_ = 0;
    std::chrono::steady_clock::time_point told_;
};

// None without a serviceNamespace.
std::unique_ptr<tracker> create_tracker(
    const runtime::context& given, const tracking_settings& settings, const tracked_work& work, redis::server queues,
    base::stop_signal& stop);

} // namespace leat::tracking
