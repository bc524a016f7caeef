#pragma once

#include "store/bridge.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace leat::bridge {

// How much an instance sends at a time, and how long it holds what it cannot send.
struct queue_rules {
    std::int64_t concurrent = 25;                   // CONCURRENT: sends at a time
    std::int64_t factor = 2;                        // CONCURRENT_FACTOR: so many times as many are held ready
    std::int64_t max_retries = 100;                 // MAX_RETRIES: validations, not sends
    std::chrono::milliseconds interval{200};        // INTERVAL: the tick when no sign comes from Redis
    std::chrono::milliseconds check_interval{1000}; // CHECK_QUEUE_INTERVAL: idle so long, the tick is switched off
    std::chrono::milliseconds max_pending{30'000};  // MAX_PENDING_TTL
    std::chrono::milliseconds margin{5'000};        // MAX_PENDING_TTL_MARGIN

    std::int64_t admitted() const { return concurrent * factor; }
    std::chrono::milliseconds longest() const { return max_pending - margin; }
};

// What an instance has in memory: the responses that it received or was given by the awaited agent, and what to do with
// each next. Pure: time is told, orders come back, the manager carries them out.
//
//   main queue       all of them, as they came
//   priority queue   of each conversation the first, CONCURRENT * FACTOR at most: claimed, or validated until it is
//   running          being sent, CONCURRENT at most
class memory_queue {
public:
    using clock = std::chrono::steady_clock;
    using task_id = std::uint64_t; // internalId

    struct task {
        message::min_message_info ids;
        std::string origin;
        std::optional<store::bridge_claim> claim;   // it is ours to send
        std::chrono::milliseconds waits{0};         // without a claim: how long at most until it can go
        std::chrono::milliseconds time_in_queue{0}; // how long it may stay; 0: MAX_PENDING_TTL - MARGIN
    };

    enum class order_type : std::uint8_t {
        send,     // it is ours, and has its turn
        validate, // ask whether it can go
        await,    // validated too often: hand it over to the awaited ones
        let_go,   // it was here too long: Redis has it, somebody will be woken for it
    };
    struct order {
        order_type is = order_type::send;
        task_id id = 0;
    };

    explicit memory_queue(queue_rules rules)
        : rules_{rules} {}

    // A response that is here already gets the claim.
    void enqueue(task given, clock::time_point now);
    // What is to be done now; each order is given once, and is to be answered by one of the calls below.
    std::vector<order> next(clock::time_point now);
    const task& at(task_id id) const { return all_.at(id).what; }
    // Until when it may be sent.
    clock::time_point deadline(task_id id) const { return all_.at(id).expires; }
    // It was claimed while something else was asked about it.
    bool holds_claim(task_id id) const { return all_.contains(id) && all_.at(id).what.claim.has_value(); }

    // A validation's answer: still blocked, for so long at most. (A claim comes by `enqueue`.)
    void blocked(task_id id, std::chrono::milliseconds waits, clock::time_point now);
    // It is over: sent, handed over, let go, or another's. Of what is over already both say nothing new.
    void finished(task_id id, clock::time_point now);
    // Something has changed in this conversation: look at once.
    void wake(const std::string& conversation);
    // Whether signs come from Redis. Without them blocked tasks are validated at every INTERVAL.
    void hear(bool signs) { signs_ = signs; }

    // How many more could be claimed.
    std::int64_t room() const;
    std::size_t size() const { return all_.size(); }
    std::size_t running() const { return running_; }
    std::size_t selected() const { return selected_; }
    // When to ask for orders again; nothing: when something comes.
    std::optional<clock::time_point> next_look(clock::time_point now) const;
    // False once it has been empty for CHECK_QUEUE_INTERVAL, until the next message.
    bool active(clock::time_point now) const;

private:
    enum class stage : std::uint8_t { main, priority, busy, running };
    struct entry {
        task what;
        std::string key; // MinMessageInfo
        stage where = stage::main;
        clock::time_point entered;
        clock::time_point claimed_at;
        clock::time_point look_at;
        clock::time_point expires;
        std::int64_t validations = 0;
    };
    // What is here of one conversation; the first is in the priority queue, once it is selected.
    struct group {
        std::deque<task_id> tasks;
        bool selected = false;
    };
    using timetable = std::set<std::pair<clock::time_point, task_id>>;

    void select();
    void select_first(group& of);
    void expire_at(task_id id, entry& each, clock::time_point when);
    void look_later(task_id id, entry& each, clock::time_point when);
    void leave_group(task_id id, const entry& each);

    queue_rules rules_;
    std::unordered_map<task_id, entry> all_;
    std::unordered_map<std::string, task_id> by_response_; // by MinMessageInfo
    std::unordered_map<std::string, group> groups_;        // by conversation
    std::deque<std::string> unselected_; // groups, longest waiting first; may name some that are no more
    std::deque<task_id> ready_;          // claimed, in the order of their claims; likewise
    timetable looks_;                    // of the priority queue, without a claim
    timetable expiries_;
    std::size_t selected_ = 0; // in the priority queue or running
    std::size_t running_ = 0;
    task_id last_id_ = 0;
    bool signs_ = true;
    clock::time_point emptied_at_;
};

} // namespace leat::bridge
