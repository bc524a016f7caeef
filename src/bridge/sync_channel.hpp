#pragma once

#include "base/log.hpp"
#include "base/notice.hpp"
#include "base/task_group.hpp"
#include "redis/link.hpp"
#include "store/bridge.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace leat::bridge {

// Brings what any number of callers want of a bridge to Redis, in few calls: what has come while others were on the way
// goes together. Items of one verb are done in the order of their submission. Owned by its instance; `ended` must have
// been awaited before it goes.
class sync_channel {
public:
    using answered = std::function<void(redis::result<store::bridge_answer>)>;

    // What the instance wants to know of each call.
    struct listener {
        std::function<std::int64_t()> room; // how many more responses it could send now
        // A response is ours to send. Its lease is counted from before the call that claimed it, however long its
        // answer took to be read.
        std::function<void(store::bridge_claim, std::chrono::steady_clock::time_point asked)> claimed;
        // After each call: how many were claimed, also of those that were pushed; how many could have been; how many
        // milliseconds until the next look (-1: none); why a list of an origin was refused.
        std::function<void(std::int64_t claimed, std::int64_t ready, std::int64_t due, const std::string& refused)>
            told;
    };

    // `calls` of a verb may be on the way at a time. With two Redis need not wait for us; with one, what was refused
    // cannot be overtaken by what came after it.
    sync_channel(
        const boost::asio::any_io_executor& executor, redis::link& server, const base::log_ptr& log,
        store::bridge_setup setup, store::bridge_rules rules, int calls);

    void listen(listener who) { listener_ = std::move(who); }

    // The lease under which the message of an item was taken. The item is refused once that lease is gone.
    using proof = std::shared_ptr<const store::lease_token>;

    // `then` is called once, from the loop; a failure means that the item may or may not have been done. What waits
    // behind an item whose call failed fails with it, so that whoever tries again can do so in the same order.
    void submit(store::bridge_verb verb, store::bridge_item item, answered then, proof lease = {});
    boost::asio::awaitable<redis::result<store::bridge_answer>> ask(store::bridge_verb verb, store::bridge_item item);
    // Looks after what is due; with 0 it only says that somebody serves.
    boost::asio::awaitable<redis::result<store::bridge_outcome>> collect(std::int64_t most);

    redis::link& server() { return server_; }
    const base::log_ptr& log() const { return log_; }
    const store::bridge_setup& setup() const { return setup_; }
    const store::bridge_rules& rules() const { return rules_; }
    // In `then`: the connection was lost with a call of this one item, which is large.
    bool failed_alone() const { return failed_alone_; }
    // When a call was last answered.
    std::chrono::steady_clock::time_point answered_at() const { return answered_at_; }
    boost::asio::awaitable<void> ended() { return calls_.wait(); }

private:
    struct waiting {
        store::bridge_item item;
        std::size_t bytes = 0;
        answered then;
        proof lease;
    };
    struct lane {
        store::bridge_verb verb;
        std::deque<waiting> items;
        int calls = 0; // on the way
    };

    void pump(lane& from);
    boost::asio::awaitable<void> call(lane& from, std::deque<waiting> items, std::int64_t room);
    std::int64_t reserve(std::int64_t most);
    void answer(lane& from, std::deque<waiting> items, std::vector<store::bridge_answer> answers);
    void tell(store::bridge_outcome& outcome, std::int64_t reserved, std::chrono::steady_clock::time_point asked);

    boost::asio::any_io_executor executor_;
    redis::link& server_;
    base::log_ptr log_;
    store::bridge_setup setup_;
    store::bridge_rules rules_;
    int most_calls_;
    listener listener_;
    lane accept_{store::bridge_verb::accept, {}, 0};
    lane conclude_{store::bridge_verb::conclude, {}, 0};
    lane edit_{store::bridge_verb::edit, {}, 0};
    std::int64_t reserved_ = 0; // room that calls on the way may use
    std::chrono::steady_clock::time_point answered_at_;
    bool failed_alone_ = false;
    base::task_group calls_;
};

} // namespace leat::bridge
