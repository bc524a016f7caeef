#pragma once

#include "base/log.hpp"
#include "base/stop_signal.hpp"
#include "base/task_group.hpp"
#include "redis/link.hpp"
#include "routing/query_run.hpp"
#include "routing/reply_budget.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace leat::routing {

// Sends the commands of all queries of an instance: of each query a few at a time, of all together no more than their
// replies leave room for in Redis, first come, first served. Owned by the service; `ended` before it goes.
class query_sender {
public:
    query_sender(
        const boost::asio::any_io_executor& executor, redis::link& server, const base::log_ptr& log,
        std::size_t most_bytes);

    // How a round ended.
    struct ending {
        enum class type : std::uint8_t { answered, fault, passing, timeout, abandoned };
        type is = type::answered;
        std::optional<query_fault> fault;
        std::optional<redis::failure> passing; // it is no fault of the query, and will pass
    };
    // Sends the calls of a round and brings the replies to `run`, until all are answered or the end of the query is
    // known: then no further call of it is sent, and what is still answered is dropped.
    boost::asio::awaitable<ending> send(
        query_run& run, std::vector<query_run::call> calls, std::chrono::steady_clock::time_point deadline,
        base::stop_signal& abandoned);

    boost::asio::awaitable<void> ended(); // until nothing is unanswered

private:
    struct round;
    struct waiting_call {
        std::shared_ptr<round> of;
        std::size_t which = 0;
    };

    void queue(const std::shared_ptr<round>& sent); // as many of its calls as may be unanswered
    void send_what_has_room();
    boost::asio::awaitable<void> ask(std::shared_ptr<round> sent, query_run::call call);
    void note_size(const redis::result<redis::reply>& answer);

    boost::asio::any_io_executor executor_;
    redis::link& server_;
    base::task_group calls_;
    reply_budget budget_;
    std::deque<waiting_call> line_;
    bool sending_ = false; // a call that fails at once comes back here
};

} // namespace leat::routing
