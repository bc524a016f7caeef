#pragma once

#include "base/log.hpp"
#include "base/stop_signal.hpp"
#include "base/task_group.hpp"
#include "message/envelope.hpp"
#include "redis/server.hpp"
#include "routing/matcher.hpp"
#include "runtime/kind.hpp"
#include "runtime/large_calls.hpp"
#include "runtime/queue_wait.hpp"
#include "taking/backlog.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace leat::routing {

// Asks workers through their queues and brings each answer to whoever asked. Every instance has a list of answers of
// its own, `<answers>:<instance>`, which workers find in `meta.reply`; it is read from the first question on, until
// `stop`. Owned by a service.
class requests {
public:
    using answered = matcher::answered;

    // No answer is read while `results` is full.
    requests(
        const runtime::context& given, const redis::url& server, runtime::metrics& counts, taking::backlog& results);
    ~requests();

    // What a worker is asked. It is pushed again when Redis was away, so that a worker may see it twice, with the same
    // id.
    struct question {
        std::string workers; // their queue
        std::string answers; // what the names of the lists for answers begin with
        std::string body;
        std::string trace_parent;
        std::int64_t deadline = 0;                // milliseconds since 1970
        std::size_t max_message_bytes = 64 << 20; // of what the worker gets, and of what it answers
    };
    // `then` is called once, unless it is forgotten before. The id of the question comes back.
    std::string ask(question asked, answered then);
    // Nobody waits any more; an answer that still comes is late.
    void forget(const std::string& id) { waiting_.forget(id); }

    void stop();
    boost::asio::awaitable<void> ended(); // after stop: until nothing runs

private:
    struct intake; // of one list of answers

    boost::asio::awaitable<void> push(
        std::string id, std::string queue, std::string text, std::chrono::steady_clock::time_point latest);
    boost::asio::awaitable<redis::result<redis::reply>> push_once(
        const std::string& queue, const std::string& text, runtime::large_calls::tries& known);
    boost::asio::awaitable<void> refuse(std::string id, std::string reason);
    boost::asio::awaitable<void> read(intake& from);
    boost::asio::awaitable<bool> await_room();
    boost::asio::awaitable<void> sweep(intake& from);
    boost::asio::awaitable<void> sweep_all(intake& from);
    redis::server& pushing_to(const std::string& queue);
    void take(const std::string& text, const intake& from);
    intake& intake_of(const std::string& answers);

    runtime::context context_;
    redis::url where_;
    base::log_ptr log_;
    runtime::metrics& counts_;
    taking::backlog& results_;
    base::stop_signal stop_;
    redis::link& link_;
    std::map<std::string, redis::server> pushing_; // by list of workers: what is refused of one is its own fault
    base::task_group tasks_;
    std::string instance_;
    matcher waiting_;
    runtime::large_calls large_;
    std::map<std::string, std::unique_ptr<intake>> intakes_; // by `answers`
};

} // namespace leat::routing
