#include "bridge/memory_queue_manager.hpp"

#include "base/point.hpp"

namespace leat::bridge {

using boost::asio::awaitable;
using store::bridge_state;
using namespace std::chrono_literals;

namespace {

awaited_agent::options with_room(awaited_agent::options how, const memory_queue& queue) {
    how.has_room = [&queue] { return queue.room() > 0; };
    return how;
}

// The rules are the same for Redis and for the queue in memory.
memory_queue_manager::options with_one_rule(memory_queue_manager::options how) {
    how.queue.max_retries = how.rules.max_retries;
    how.queue.max_pending = std::chrono::milliseconds{how.rules.pending_ttl};
    how.queue.margin = std::chrono::milliseconds{how.rules.margin};
    return how;
}

} // namespace

memory_queue_manager::memory_queue_manager(
    const boost::asio::any_io_executor& executor, redis::link& server, redis::listener& listener,
    const base::log_ptr& log, options how, tasks what)
    : log_{log}
    , how_{with_one_rule(std::move(how))}
    , tasks_{std::move(what)}
    , stop_{executor}
    , server_{server, &listener, log, stop_, "outcomes cannot be written down"}
    , channel_{executor, server, log, how_.setup, how_.rules, 2}
    , sync_{channel_}
    , queue_{how_.queue}
    , agent_{channel_, redis::server{server, &listener, log, stop_, "what is due cannot be collected"}, stop_, log, with_room(how_.agent, queue_)}
    , work_{executor, log}
    , changed_{executor} {
    channel_.listen(
        {.room = [this] { return stop_.requested() ? 0 : queue_.room(); },
         .claimed = [this](store::bridge_claim given, clock::time_point asked) { claimed(std::move(given), asked); },
         .told =
             [this](std::int64_t, std::int64_t ready, std::int64_t due, const std::string&) {
                 agent_.told(due, ready > 0 && queue_.room() > 0);
             }});
}

void memory_queue_manager::claimed(store::bridge_claim given, clock::time_point asked) {
    memory_queue::task made;
    made.ids = given.ids;
    made.origin = given.origin;
    made.claim = std::move(given);
    queue_.enqueue(std::move(made), asked);
    changed_.notify_all();
}

message_sync::result<message_sync::accepted> memory_queue_manager::respond(response_info given) {
    memory_queue::task made;
    made.ids = {given.request_id, given.response_id, given.conversation_id};
    made.origin = given.origin;
    auto answer = co_await sync_.mark_pending_conversation_register(std::move(given));
    if (answer) {
        switch (answer->state) {
        case bridge_state::ready:
        case bridge_state::wait_request:
        case bridge_state::wait_response:
        case bridge_state::wait_ack:
        case bridge_state::wait_backoff:
        case bridge_state::wait_lease:
            made.waits = std::max(answer->waits, how_.queue.interval);
            queue_.enqueue(std::move(made), clock::now());
            changed_.notify_all();
            break;
        default: // claimed: it has come to the queue with its claim; the rest is over
            break;
        }
    }
    co_return answer;
}

awaitable<void> memory_queue_manager::run() {
    work_.spawn("awaited agent", agent_.run());
    while (!stop_.requested() || queue_.running() > 0) {
        auto now = clock::now();
        queue_.hear(server_.ears().connection().connected());
        for (auto each : queue_.next(now)) {
            carry_out(each);
        }
        auto look = queue_.next_look(now);
        auto longest = look ? *look - now : clock::duration{1h};
        if (longest.count() > 0) {
            co_await changed_.wait_for(longest);
        }
    }
    co_await work_.wait();
    co_await channel_.ended();
}

void memory_queue_manager::stop() {
    stop_.request();
    changed_.notify_all();
}

// What leaves the queue makes room.
void memory_queue_manager::finished(memory_queue::task_id id) {
    queue_.finished(id, clock::now());
    changed_.notify_all();
    agent_.wake();
}

void memory_queue_manager::carry_out(memory_queue::order given) {
    switch (given.is) {
    case memory_queue::order_type::send:
        if (stop_.requested()) { // whoever goes on gets it when our lease ends
            finished(given.id);
        } else {
            work_.spawn("send", send(given.id));
        }
        break;
    case memory_queue::order_type::validate:
        work_.spawn("validate", validate(given.id));
        break;
    case memory_queue::order_type::await:
        work_.spawn("hand over", hand_over(given.id));
        break;
    case memory_queue::order_type::let_go:
        finished(given.id);
        break;
    }
}

awaitable<void> memory_queue_manager::send(memory_queue::task_id id) {
    auto what = *queue_.at(id).claim;
    auto deadline = queue_.deadline(id);
    base::reached("before_bridge_send");
    auto how = co_await tasks_.execute(what, deadline);
    base::reached("after_bridge_send");
    bool failed = how.how == store::bridge_sending::recoverable || how.how == store::bridge_sending::fatal;
    if (failed && tasks_.failed) {
        tasks_.failed(what, how);
    }
    co_await complete(std::move(what), std::move(how), deadline + how_.queue.margin);
    finished(id);
}

// While the lease lasts: what is not written down is sent again.
awaitable<void> memory_queue_manager::complete(
    store::bridge_claim what, send_outcome how, clock::time_point lease_end) {
    store::bridge_result ended;
    ended.ids = what.ids;
    ended.token = what.token;
    ended.how = how.how;
    ended.detail = std::move(how.detail);
    ended.pause = how.pause.count();
    ended.origin = what.origin;
    for (;;) {
        auto answer = co_await sync_.complete(ended);
        if (answer) {
            server_.answered();
        }
        if (answer || answer.error().is != sync_error::kind::redis || clock::now() >= lease_end ||
            channel_.server().ended()) {
            if (!answer) {
                log_->warn(
                    "the outcome of a send was not taken reason=\"{}\" conversation={} response={} corr={}",
                    answer.error().text, what.ids.conversation_id, what.ids.response_id,
                    read_task_item(what.task).corr);
            }
            co_return;
        }
        co_await server_.wait_after(answer.error().failed, lease_end);
    }
}

awaitable<void> memory_queue_manager::validate(memory_queue::task_id id) {
    auto ids = queue_.at(id).ids;
    auto answer = co_await sync_.meet(ids.conversation_id);
    bool ours = answer && answer->order == ids.response_id; // the first of its conversation
    if (answer && (answer->state == bridge_state::claimed || answer->state == bridge_state::idle || !ours)) {
        // It has come with its claim, or another's turn is first, whose end will bring the next.
        if (!queue_.holds_claim(id)) {
            finished(id);
        }
    } else {
        queue_.blocked(id, answer ? answer->waits : how_.queue.interval, clock::now());
    }
    changed_.notify_all();
}

awaitable<void> memory_queue_manager::hand_over(memory_queue::task_id id) {
    auto item = store::await_blocked_item(queue_.at(id).ids, how_.rules.retries_end);
    auto answer = co_await channel_.ask(store::bridge_verb::edit, std::move(item));
    (void)answer; // if it was not written down, its date in pendingMessages stands as it was
    if (!queue_.holds_claim(id)) {
        finished(id);
    }
    changed_.notify_all();
}

} // namespace leat::bridge
