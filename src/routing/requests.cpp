#include "routing/requests.hpp"

#include "base/random_name.hpp"
#include "message/preview.hpp"
#include "store/keys.hpp"
#include "store/routing.hpp"

#include <utility>

namespace leat::routing {

using boost::asio::awaitable;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t most_answers = 1000;
constexpr std::int64_t most_bytes = 1 << 20;
constexpr std::int64_t quiet = 10LL * 60 * 1000;       // an instance that was not heard of for so long is gone
constexpr std::int64_t forgotten = 24LL * 3600 * 1000; // after this nobody answers it any more

} // namespace

struct requests::intake {
    intake(std::string prefix, requests& owner)
        : keys{std::move(prefix)}
        , list{keys.list(owner.instance_)}
        , wait{owner.listener_, list, owner.stop_, 5s} {}
    store::answer_keys keys;
    std::string list;
    runtime::queue_wait wait;
};

requests::requests(
    const boost::asio::any_io_executor& executor, redis::link& server, redis::listener& listener,
    const base::log_ptr& log, tally& counts)
    : server_{server}
    , listener_{listener}
    , log_{log}
    , counts_{counts}
    , stop_{executor}
    , tasks_{executor, log}
    , instance_{base::random_name()}
    , waiting_{instance_} {
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
    message::request made{
        .id = id,
        .deadline = asked.deadline,
        .reply = intake_of(asked.answers).list,
        .trace_parent = std::move(asked.trace_parent),
        .body = asked.body};
    tasks_.spawn("ask", push(id, std::move(asked.workers), message::write(made)));
    return id;
}

awaitable<void> requests::push(std::string id, std::string queue, std::string text) {
    while (waiting_.expects(id) && !stop_.requested()) {
        redis::command words{"LPUSH", queue, text};
        auto pushed = co_await server_.call(std::move(words));
        if (pushed) {
            if (!std::exchange(told_, {}).empty()) {
                log_->info("going on");
            }
            co_return;
        }
        tell(pushed.error(), queue);
        co_await server_.changed().wait_for(100ms);
    }
}

// Once when it begins; the link tells of losses.
void requests::tell(const redis::failure& failed, const std::string& queue) {
    counts_.add("error");
    if (told_ != failed.text && server_.connected()) {
        told_ = failed.text;
        log_->warn(
            "waiting, requests cannot be asked class={} reason=\"{}\" key={}", redis::to_string(failed.kind),
            failed.text, queue);
    }
}

awaitable<void> requests::read(intake& from) {
    bool arrived = false; // what was handed over before we were is nobody's any more, and read once more
    while (!stop_.requested()) {
        store::scripts::collect_call given{
            .answers = from.list,
            .given = from.keys.given(instance_),
            .instances = from.keys.instances(),
            .instance = instance_,
            .arrived = arrived ? 1 : 0,
            .max_count = most_answers,
            .max_bytes = most_bytes};
        auto answer = co_await store::collect(server_, std::move(given));
        if (!answer) {
            tell(answer.error(), from.list);
            arrived = false;
            co_await server_.changed().wait_for(100ms);
            continue;
        }
        arrived = true;
        for (const auto& each : answer->messages) {
            take(each);
        }
        if (answer->messages.empty()) {
            co_await from.wait.until([](std::int64_t length) { return length > 0; });
        }
    }
}

void requests::take(const std::string& text) {
    auto read = message::read_answer(text);
    if (!read) {
        counts_.add("answer:invalid");
        log_->warn("an answer cannot be read reason=\"{}\" answer={}", read.error().text, message::preview(text));
        return;
    }
    switch (waiting_.take(std::move(*read))) {
    case matcher::match::answered:
        break;
    case matcher::match::late:
        counts_.add("answer:late");
        break;
    case matcher::match::unknown:
        counts_.add("answer:unknown");
        break;
    }
}

// Now and then, what instances have left that are no more.
awaitable<void> requests::sweep(intake& from) {
    while (!stop_.requested()) {
        store::scripts::sweep_answers_call given{
            .instances = from.keys.instances(), .answers = from.keys.prefix(), .quiet = quiet, .forgotten = forgotten};
        co_await store::sweep_answers(server_, std::move(given));
        auto next = std::chrono::steady_clock::now() + 60s; // we are woken for other reasons, too
        while (!stop_.requested() && std::chrono::steady_clock::now() < next) {
            co_await stop_.awake().wait_for(next - std::chrono::steady_clock::now());
        }
    }
}

void requests::stop() {
    stop_.request();
    server_.changed().notify_all();
}

awaitable<void> requests::ended() {
    co_await tasks_.wait();
    for (const auto& [answers, from] : intakes_) { // nobody waits for what still comes
        redis::command lists{"UNLINK", from->list, from->keys.given(instance_)};
        co_await server_.call(std::move(lists));
        redis::command row{"ZREM", from->keys.instances(), instance_};
        co_await server_.call(std::move(row));
    }
}

} // namespace leat::routing
