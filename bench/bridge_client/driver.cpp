#include "driver.hpp"

#include "ids.hpp"

namespace leat::bench {

using boost::asio::awaitable;
using bridge::send_outcome;
using store::bridge_sending;
using store::bridge_state;
using namespace std::chrono_literals;

driver::driver(const words& given)
    : given_{given}
    , seen_{given}
    , conversations_{uuids(given.conversations)}
    , inside_{given, tasks()} {
}

bridge::memory_queue_manager::tasks driver::tasks() {
    bridge::memory_queue_manager::tasks made;
    made.execute = [this](store::bridge_claim what, clock::time_point) { return send(std::move(what)); };
    return made;
}

void driver::clear() {
    seen_.clear();
    after_acks_.clear();
}

awaitable<send_outcome> driver::send(store::bridge_claim what) {
    auto message = number_of(what.task);
    if (message % static_cast<std::size_t>(given_.replies) > 0 && given_.ack != 0) {
        after_acks_.push_back(milliseconds(clock::now() - ack_.at(message - 1)));
    }
    send_outcome made;
    if (what.attempt == 1 && is_one_of(message, given_.errors)) {
        made.how = bridge_sending::recoverable;
        made.detail = "busy";
        co_return made;
    }
    seen_.arrived(message);
    if (given_.busy > 0) {
        co_await inside_.rest(std::chrono::microseconds{given_.busy});
    }
    if (given_.ack != 0) {
        made.how = bridge_sending::sent_async;
        made.detail = uuid();
        inside_.spawn(acknowledge(made.detail, message));
    } else {
        ended(message);
    }
    co_return made;
}

// Behind the answer of the send, which is written down first.
awaitable<void> driver::acknowledge(std::string name, std::size_t message) {
    co_await inside_.rest(0us);
    ack_.resize(std::max(ack_.size(), message + 1));
    ack_[message] = clock::now();
    auto state = co_await inside_.sync().acknowledge(origin, std::move(name), bridge_sending::sent, "");
    if (!state || (*state != bridge_state::delivered && *state != bridge_state::early)) {
        give_up("an acknowledgement was not taken");
    }
    ended(message);
}

void driver::ended(std::size_t message) {
    if (--left_.at(seen_.request_of(message)) == 0) {
        --open_;
        give_more();
    }
}

void driver::give_more() {
    while (given_.rate == 0 && open_ < given_.in_flight && clock::now() < end_) {
        ++open_;
        left_.push_back(given_.replies);
        inside_.spawn(exchange(seen_.next_request()));
    }
}

awaitable<void> driver::exchange(std::size_t request) {
    bridge::request_info info;
    info.origin = origin;
    info.conversation_id = conversations_[seen_.conversation_of(request)];
    info.request_id = uuid();
    auto id = info.request_id;
    auto registered = co_await inside_.sync().create_conversation_register(std::move(info));
    if (!registered || registered->existing) {
        give_up("a request was not taken");
    }
    auto first = seen_.first_message(request);
    for (auto message = first; message < first + static_cast<std::size_t>(given_.replies); ++message) {
        seen_.came(message, clock::now());
        inside_.spawn(respond(id, request, message));
    }
}

awaitable<void> driver::respond(std::string request_id, std::size_t request, std::size_t message) {
    bridge::response_info info;
    info.origin = origin;
    info.conversation_id = conversations_[seen_.conversation_of(request)];
    info.request_id = std::move(request_id);
    info.response_id = uuid();
    info.task_item = body(message, given_.size);
    auto accepted = co_await inside_.manager().respond(std::move(info));
    if (!accepted) {
        give_up(accepted.error().text);
    }
}

awaitable<void> driver::give_by_rate(clock::time_point end) {
    auto began = clock::now();
    auto gap = std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{1.0 / given_.rate});
    std::int64_t count = 0;
    while (clock::now() < end) {
        for (; began + count * gap <= clock::now(); ++count) {
            ++open_;
            left_.push_back(given_.replies);
            inside_.spawn(exchange(seen_.next_request()));
        }
        auto next = std::chrono::duration_cast<std::chrono::microseconds>(began + count * gap - clock::now());
        co_await inside_.rest(next);
    }
}

awaitable<double> driver::give(std::chrono::milliseconds length) {
    auto began = clock::now();
    end_ = began + length;
    if (given_.rate > 0) {
        co_await give_by_rate(end_);
    } else {
        give_more();
    }
    while (clock::now() < end_ || open_ > 0 || inside_.manager().queue().size() > 0) {
        co_await inside_.rest(500us);
        if (clock::now() > end_ + 60s) {
            give_up(
                "no end in sight open=" + std::to_string(open_) +
                " queue=" + std::to_string(inside_.manager().queue().size()));
        }
    }
    co_return std::chrono::duration<double>{clock::now() - began}.count();
}

} // namespace leat::bench
