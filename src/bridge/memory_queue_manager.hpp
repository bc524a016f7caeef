#pragma once

#include "base/log.hpp"
#include "base/stop_signal.hpp"
#include "base/task_group.hpp"
#include "bridge/awaited_agent.hpp"
#include "bridge/memory_queue.hpp"
#include "bridge/message_sync.hpp"
#include "redis/listener.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <string>

namespace leat::bridge {

// How a send ended.
struct send_outcome {
    store::bridge_sending how = store::bridge_sending::sent;
    std::string detail;                 // asyncResponseId, or the reason
    std::chrono::milliseconds pause{0}; // what the client asks for before the next try
};

// An instance of a bridge inside a program of yours: hands requests, replies and acknowledgements to Redis, and sends
// the replies that are its turn, in order per conversation. `run` runs it until `stop`; what is being sent then is sent
// to its end. Whatever dies, the next instance goes on when the lease ends. Owned by the program.
class memory_queue_manager {
public:
    using clock = std::chrono::steady_clock;
    struct tasks {
        // Sends one response. It must end by the deadline: afterwards another may send it. (`executionTask`.)
        std::function<boost::asio::awaitable<send_outcome>(store::bridge_claim what, clock::time_point deadline)>
            execute;
        // A send failed; it is retried, or its group is cancelled. (`errorTask`.)
        std::function<void(const store::bridge_claim& what, const send_outcome& how)> failed;
    };
    struct options {
        store::bridge_setup setup;
        store::bridge_rules rules;
        queue_rules queue;
        awaited_agent::options agent;
    };

    // The program has connections of its own, and no runtime of ours: so the handle on the server is made here.
    memory_queue_manager(
        const boost::asio::any_io_executor& executor, redis::link& server, redis::listener& listener,
        const base::log_ptr& log, options how, tasks what);

    message_sync& sync() { return sync_; }
    sync_channel& channel() { return channel_; }
    const memory_queue& queue() const { return queue_; }

    // A reply has come: stored, and sent when it is its turn.
    message_sync::result<message_sync::accepted> respond(response_info given);

    boost::asio::awaitable<void> run();
    void stop();

private:
    void claimed(store::bridge_claim given, clock::time_point asked);
    void carry_out(memory_queue::order given);
    void finished(memory_queue::task_id id);
    boost::asio::awaitable<void> send(memory_queue::task_id id);
    boost::asio::awaitable<void> complete(store::bridge_claim what, send_outcome how, clock::time_point lease_end);
    boost::asio::awaitable<void> validate(memory_queue::task_id id);
    boost::asio::awaitable<void> hand_over(memory_queue::task_id id);

    base::log_ptr log_;
    options how_;
    tasks tasks_;
    base::stop_signal stop_;
    redis::server server_;
    sync_channel channel_;
    message_sync sync_;
    memory_queue queue_;
    awaited_agent agent_;
    base::task_group work_;
    base::notice changed_; // of the memory queue
};

} // namespace leat::bridge
