#include "routing/requests.hpp"

#include "base/random_name.hpp"
#include "message/preview.hpp"
#include "store/answers.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace leat::routing {

using boost::asio::awaitable;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t most_answers = 1000;
constexpr std::int64_t most_bytes = 1 << 20;
constexpr int most_losses =
    12; // in a row, of one answer that is read alone: a network that cuts connections at random does not cut so many
std::string too_large(std::string_view what, std::size_t bytes, std::size_t most) {
    return std::string{what} + " has " + std::to_string(bytes) + " bytes, more than maxMessageBytes, " +
           std::to_string(most);
}

} // namespace

struct requests::intake {
    intake(std::string prefix, requests& owner)
        : prefix{std::move(prefix)}
        , keys{this->prefix}
        , list{keys.list(owner.instance_)}
        , reading{owner.context_.redis.server_of(
              owner.where_, owner.context_.client_name, owner.log_, owner.stop_, "answers cannot be read")}
        , sweeping{owner.context_.redis.called_server_of(
              owner.where_, owner.context_.client_name, owner.log_, owner.stop_,
              "late answers to others cannot be removed")}
        , wait{reading.ears(), list, owner.stop_, 5s} {}
    std::string prefix; // what is counted is counted for it: the lists come and go with the instances
    store::answer_keys keys;
    std::size_t largest = 1 << 20; // answer that is read; as large as questions may be, once there are some
    std::string list;
    redis::server reading;
    redis::server sweeping;
    runtime::queue_wait wait;
};

requests::requests(
    const runtime::context& given, const redis::url& server, runtime::metrics& counts, taking::backlog& results)
    : context_{given}
    , where_{server}
    , log_{given.log}
    , counts_{counts}
    , results_{results}
    , stop_{given.executor}
    , link_{given.redis.link_of(server, given.client_name, log_)}
    , tasks_{given.executor, log_}
    , instance_{base::random_name()}
    , waiting_{instance_}
    , large_{given.executor} {
}

requests::~requests() = default;

requests::intake& requests::intake_of(const std::string& answers) {
    auto& found = intakes_[answers];
    if (!found) {
        found = std::make_unique<intake>(answers, *this);
        tasks_.spawn("read answers", read(*found));
        tasks_.spawn("sweep answers", sweep(*found));
    }
    return *found;
}

std::string requests::ask(question asked, answered then) {
    auto id = waiting_.expect(std::move(then));
    auto& from = intake_of(asked.answers);
    from.largest = std::max(from.largest, asked.max_message_bytes);
    if (asked.body.size() > asked.max_message_bytes) {
        tasks_.spawn("refuse", refuse(id, too_large("the request", asked.body.size(), asked.max_message_bytes)));
        return id;
    }
    message::request made{
        .id = id,
        .deadline = asked.deadline,
        .reply = from.list,
        .trace_parent = std::move(asked.trace_parent),
        .body = asked.body};
    auto text = message::write(made);
    if (text.size() > asked.max_message_bytes) {
        tasks_.spawn(
            "refuse", refuse(id, too_large("the request for the worker", text.size(), asked.max_message_bytes)));
        return id;
    }
    auto left = std::chrono::milliseconds{asked.deadline} - std::chrono::system_clock::now().time_since_epoch();
    tasks_.spawn("ask", push(id, std::move(asked.workers), std::move(text), std::chrono::steady_clock::now() + left));
    return id;
}

// An answer that no worker has given. Later: whoever asked does not know the id yet.
awaitable<void> requests::refuse(std::string id, std::string reason) {
    co_await boost::asio::post(boost::asio::use_awaitable);
    message::answer made;
    made.id = std::move(id);
    made.error = message::error{"TooLarge", std::move(reason), {}};
    waiting_.take(std::move(made));
}

awaitable<void> requests::push(
    std::string id, std::string queue, std::string text, std::chrono::steady_clock::time_point latest) {
    runtime::large_calls::tries known;
    known.bytes = text.size();
    auto& pushing = pushing_to(queue);
    std::function<awaitable<redis::result<redis::reply>>()> call = [this, &queue, &text, &known] {
        return push_once(queue, text, known);
    };
    std::function<bool()> wanted = [this, &id, &queue, &known] { // after a failure
        counts_.add("error", 1, queue);
        return waiting_.expects(id) && !known.is_given_up();
    };
    if (!waiting_.expects(id) || stop_.requested()) {
        co_return;
    }
    auto pushed = co_await pushing.call_until_answered(std::move(call), std::move(wanted), latest);
    if (!pushed && known.is_given_up()) {
        auto reason = "Redis closes the connection when the request for the worker, " + std::to_string(text.size()) +
                      " bytes, is pushed";
        co_await refuse(std::move(id), std::move(reason));
    }
}

redis::server& requests::pushing_to(const std::string& queue) {
    auto found = pushing_.find(queue);
    if (found == pushing_.end()) {
        auto made = context_.redis.called_server_of(
            where_, context_.client_name, log_, stop_, "requests cannot be pushed to " + queue);
        found = pushing_.emplace(queue, std::move(made)).first;
    }
    return found->second;
}

awaitable<redis::result<redis::reply>> requests::push_once(
    const std::string& queue, const std::string& text, runtime::large_calls::tries& known) {
    redis::command words{"LPUSH", queue, text};
    auto pushed = co_await large_.call(link_, std::move(words), known);
    if (!pushed) {
        auto failed = pushed.error();
        failed.text += " key=" + queue;
        co_return failed;
    }
    co_return pushed;
}

awaitable<void> requests::read(intake& from) {
    std::size_t arrived =
        0;        // of what was handed over: what was before we were is nobody's any more, and read once more
    int lost = 0; // calls in a row whose answers were
    std::int64_t batch = most_answers; // one at a time after a loss, then slowly more again
    int went_well = 0;
    while (!stop_.requested()) {
        bool has_room = co_await await_room();
        store::answer_portion most{
            .arrived = static_cast<std::int64_t>(arrived),
            .max_count = has_room ? batch : 0, // so that others see that we live
            .max_bytes = batch < most_answers ? batch * 1024 : most_bytes,
            .largest = static_cast<std::int64_t>(lost >= most_losses ? runtime::large_calls::large : from.largest)};
        if (batch == 1) { // a connection that cannot even do this is not lost over an answer
            auto looked = co_await store::count_answers(from.reading.calls(), from.keys, instance_);
            if (!looked) {
                counts_.add("error", 1, from.prefix);
                co_await from.reading.wait_after(looked.error());
                continue;
            }
        }
        auto answer = co_await store::hand_over_answers(from.reading.calls(), from.keys, instance_, most);
        if (!answer) {
            counts_.add("error", 1, from.prefix);
            lost += answer.error().outcome_unknown ? 1 : 0;
            batch = answer.error().outcome_unknown ? 1 : batch;
            went_well = 0;
            arrived = 0;
            co_await from.reading.wait_after(answer.error());
            continue;
        }
        from.reading.answered();
        arrived = answer->messages.size();
        lost = 0;
        if (!has_room) {
            continue;
        }
        if (++went_well % 8 == 0 || arrived == 0) {
            batch = arrived == 0 ? most_answers : std::min(most_answers, 2 * batch);
        }
        for (const auto& each : answer->messages) {
            take(each, from);
        }
        if (answer->messages.empty()) {
            co_await from.wait.until([](std::int64_t length) { return length > 0; });
        }
    }
}

// False: there was none for a while. What was handed over last is acknowledged all the same.
awaitable<bool> requests::await_room() {
    auto latest = std::chrono::steady_clock::now() + 5s;
    while (results_.is_full() && !stop_.requested() && std::chrono::steady_clock::now() < latest) {
        co_await results_.changed().wait_for(latest - std::chrono::steady_clock::now());
    }
    co_return !results_.is_full();
}

void requests::take(const std::string& text, const intake& from) {
    auto read = message::read_answer(text);
    if (!read) {
        counts_.add("answer:invalid", 1, from.prefix);
        log_->warn("an answer cannot be read reason=\"{}\" answer={}", read.error().text, message::preview(text));
        return;
    }
    switch (waiting_.take(std::move(*read))) {
    case matcher::match::answered:
        break;
    case matcher::match::late:
        counts_.add("answer:late", 1, from.prefix);
        break;
    case matcher::match::unknown:
        counts_.add("answer:unknown", 1, from.prefix);
        break;
    }
}

// Now and then, what instances have left that are no more, and what workers have pushed for them since.
awaitable<void> requests::sweep(intake& from) {
    while (!stop_.requested()) {
        co_await sweep_all(from);
        auto next = std::chrono::steady_clock::now() + 60s; // we are woken for other reasons, too
        while (!stop_.requested() && std::chrono::steady_clock::now() < next) {
            co_await stop_.awake().wait_for(next - std::chrono::steady_clock::now());
        }
    }
}

awaitable<void> requests::sweep_all(intake& from) {
    std::int64_t skip = 0;
    while (skip >= 0 && !stop_.requested()) {
        auto swept = co_await store::sweep_answers_of_gone(from.sweeping.calls(), from.keys, skip);
        if (!swept) {
            counts_.add("error", 1, from.prefix);
            co_await from.sweeping.wait_after(swept.error());
            continue;
        }
        from.sweeping.answered();
        skip = swept->next;
    }
}

void requests::stop() {
    stop_.request();
    link_.changed().notify_all();
    results_.changed().notify_all();
}

awaitable<void> requests::ended() {
    co_await tasks_.wait();
    // Nobody waits for what still comes. Our row stays, so that others sweep it.
    for (const auto& [answers, from] : intakes_) {
        co_await store::remove_answers(link_, from->keys, instance_);
    }
}

} // namespace leat::routing
