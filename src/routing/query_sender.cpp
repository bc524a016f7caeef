#include "routing/query_sender.hpp"

#include <utility>

namespace leat::routing {

using boost::asio::awaitable;
using clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t most_unanswered = 16; // of a query

// On the wire, about.
std::size_t size_of(const redis::reply& given) {
    std::size_t bytes = 0;
    for (const auto& each : given.nodes) {
        bytes += each.text.size() + 8;
    }
    return bytes;
}

} // namespace

// Shared with its calls: when the query has ended they go on without it.
struct query_sender::round {
    round(const boost::asio::any_io_executor& executor, query_run& owner, std::vector<query_run::call> given)
        : run{owner}
        , calls{std::move(given)}
        , changed{executor} {}

    query_run& run; // until it is over
    std::vector<query_run::call> calls;
    std::size_t queued = 0; // of the calls, from the first on
    std::size_t answered = 0;
    bool over = false; // what still comes is dropped
    ending end;
    base::notice changed; // it is over

    void finish(ending given) {
        over = true;
        end = std::move(given);
        changed.notify_all();
    }
    void bring(std::size_t step, redis::result<redis::reply> answer) {
        using type = ending::type;
        ++answered;
        if (!answer && is_passing(answer.error())) {
            return finish({type::passing, std::nullopt, answer.error()});
        }
        if (!answer) {
            return finish({type::fault, run.failed(step, answer.error()), std::nullopt});
        }
        auto taken = run.answered(step, std::move(*answer));
        if (!taken) {
            return finish({type::fault, taken.error(), std::nullopt});
        }
        if (answered == calls.size()) {
            finish({});
        }
    }
};

query_sender::query_sender(
    const boost::asio::any_io_executor& executor, redis::link& server, const base::log_ptr& log, std::size_t most_bytes)
    : executor_{executor}
    , server_{server}
    , calls_{executor, log}
    , budget_{most_bytes} {
}

awaitable<query_sender::ending> query_sender::send(
    query_run& run, std::vector<query_run::call> calls, clock::time_point deadline, base::stop_signal& abandoned) {
    using type = ending::type;
    auto sent = std::make_shared<round>(executor_, run, std::move(calls));
    base::stop_signal::also wakes{abandoned, sent->changed};
    if (!abandoned.requested() && clock::now() < deadline) {
        queue(sent);
    }
    while (!sent->over) {
        auto left = deadline - clock::now();
        if (abandoned.requested()) {
            sent->finish({type::abandoned, std::nullopt, std::nullopt});
        } else if (left.count() <= 0) {
            sent->finish({type::timeout, std::nullopt, std::nullopt});
        } else {
            co_await sent->changed.wait_for(left);
        }
    }
    send_what_has_room(); // its calls wait no longer
    co_return std::move(sent->end);
}

void query_sender::queue(const std::shared_ptr<round>& sent) {
    while (!sent->over && sent->queued < sent->calls.size() && sent->queued - sent->answered < most_unanswered) {
        line_.push_back({sent, sent->queued++});
    }
    send_what_has_room();
}

void query_sender::send_what_has_room() {
    if (std::exchange(sending_, true)) {
        return;
    }
    while (!line_.empty() && (line_.front().of->over || budget_.admits())) {
        auto first = std::move(line_.front());
        line_.pop_front();
        if (!first.of->over) {
            budget_.sent();
            auto call = std::move(first.of->calls[first.which]);
            calls_.spawn("ask", ask(std::move(first.of), std::move(call)));
        }
    }
    sending_ = false;
}

awaitable<void> query_sender::ask(std::shared_ptr<round> sent, query_run::call call) {
    auto answer = co_await server_.call(std::move(call.words));
    note_size(answer);
    if (!sent->over) {
        sent->bring(call.step, std::move(answer));
    }
    queue(sent);
}

void query_sender::note_size(const redis::result<redis::reply>& answer) {
    if (answer) {
        budget_.answered(size_of(*answer));
    } else if (answer.error().outcome_unknown || answer.error().kind == redis::error_class::find_server) {
        budget_.lost();
    } else {
        budget_.answered(answer.error().text.size());
    }
}

awaitable<void> query_sender::ended() {
    co_await calls_.wait();
}

} // namespace leat::routing
