#include "bridge/sync_channel.hpp"

#include "base/point.hpp"

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace leat::bridge {

using boost::asio::awaitable;
using store::bridge_answer;
using store::bridge_outcome;
using clock = std::chrono::steady_clock;

namespace {

// So that Redis is held for a few milliseconds at most.
constexpr std::size_t most_items = 100;
constexpr std::size_t most_bytes = 1 << 20; // but for a single huge one
constexpr std::size_t alone_from = 65'536;  // bytes: when it costs the connection, it is known which did
constexpr std::size_t enough = 20; // for a call while another is on the way: each costs as much as an item, or two

} // namespace

sync_channel::sync_channel(
    const boost::asio::any_io_executor& executor, redis::link& server, const base::log_ptr& log,
    store::bridge_setup setup, store::bridge_rules rules, int calls)
    : executor_{executor}
    , server_{server}
    , log_{log}
    , setup_{std::move(setup)}
    , rules_{rules}
    , most_calls_{calls}
    , calls_{executor, log} {
}

void sync_channel::submit(store::bridge_verb verb, store::bridge_item item, answered then, proof lease) {
    auto& to = verb == store::bridge_verb::accept ? accept_ : verb == store::bridge_verb::conclude ? conclude_ : edit_;
    std::size_t bytes = 0;
    for (const auto& word : item) {
        bytes += word.size();
    }
    to.items.push_back({std::move(item), bytes, std::move(then), std::move(lease)});
    pump(to);
}

awaitable<redis::result<bridge_answer>> sync_channel::ask(store::bridge_verb verb, store::bridge_item item) {
    using outcome = redis::result<bridge_answer>;
    auto initiate = [this, verb, item = std::move(item)](auto handler) mutable {
        auto kept = std::make_shared<boost::asio::any_completion_handler<void(outcome)>>(std::move(handler));
        submit(verb, std::move(item), [this, kept](outcome answer) {
            boost::asio::post(
                executor_, [kept, answer = std::move(answer)]() mutable { std::move (*kept)(std::move(answer)); });
        });
    };
    return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void(outcome)>(
        std::move(initiate), boost::asio::use_awaitable);
}

// The first call goes at once; another while it is on the way, when enough has come; the rest when one comes back.
void sync_channel::pump(lane& from) {
    while (!from.items.empty() && from.calls < most_calls_ && (from.calls == 0 || from.items.size() >= enough)) {
        std::deque<waiting> items;
        std::size_t bytes = 0;
        while (!from.items.empty() && items.size() < most_items &&
               (items.empty() || bytes + from.items.front().bytes <= most_bytes)) {
            if (!items.empty() && from.items.front().bytes >= alone_from) {
                break;
            }
            bytes += from.items.front().bytes;
            items.push_back(std::move(from.items.front()));
            from.items.pop_front();
            if (bytes >= alone_from && items.size() == 1) {
                break;
            }
        }
        auto room = reserve(static_cast<std::int64_t>(items.size()));
        ++from.calls;
        calls_.spawn("call the bridge", call(from, std::move(items), room));
    }
}

std::int64_t sync_channel::reserve(std::int64_t most) {
    auto room = listener_.room ? std::clamp<std::int64_t>(listener_.room() - reserved_, 0, most) : 0;
    reserved_ += room;
    return room;
}

awaitable<void> sync_channel::call(lane& from, std::deque<waiting> items, std::int64_t room) {
    std::vector<store::bridge_item> words;
    std::vector<store::lease_token> leases;
    words.reserve(items.size());
    for (const auto& each : items) {
        words.push_back(each.item); // a copy: it may have to go again
        if (each.lease && std::ranges::find(leases, *each.lease) == leases.end()) {
            leases.push_back(*each.lease);
        }
    }
    base::reached(from.verb == store::bridge_verb::accept ? "before_bridge_accept" : "before_bridge_conclude");
    auto asked = clock::now();
    auto outcome =
        co_await store::run_bridge(server_, from.verb, setup_, rules_, room, std::move(words), std::move(leases));
    base::reached(from.verb == store::bridge_verb::accept ? "after_bridge_accept" : "after_bridge_conclude");
    --from.calls;
    if (!outcome) {
        reserved_ -= room;
        bool is_alone = items.size() == 1 && items.front().bytes >= alone_from;
        failed_alone_ = is_alone && outcome.error().outcome_unknown;
        auto behind = std::exchange(from.items, {});
        std::ranges::move(behind, std::back_inserter(items));
        for (auto& each : items) {
            each.then(outcome.error());
            failed_alone_ = false;
        }
    } else {
        answered_at_ = clock::now();
        answer(from, std::move(items), std::move(outcome->answers));
        tell(*outcome, room, asked);
    }
    pump(from);
}

// What the call has left undone goes first in the next.
void sync_channel::answer(lane& from, std::deque<waiting> items, std::vector<bridge_answer> answers) {
    answers.resize(items.size());
    std::size_t done = 0;
    while (done < items.size() && answers[done].state != store::bridge_state::again) {
        items[done].then(std::move(answers[done]));
        ++done;
    }
    while (items.size() > done) {
        from.items.push_front(std::move(items.back()));
        items.pop_back();
    }
}

void sync_channel::tell(bridge_outcome& outcome, std::int64_t reserved, clock::time_point asked) {
    reserved_ -= reserved;
    if (listener_.claimed) {
        for (auto& each : outcome.claims) {
            listener_.claimed(std::move(each), asked);
        }
    }
    if (listener_.told) {
        listener_.told(outcome.claimed, outcome.ready, outcome.due, outcome.refused);
    }
}

awaitable<redis::result<bridge_outcome>> sync_channel::collect(std::int64_t most) {
    auto room = reserve(most);
    base::reached("before_bridge_collect");
    auto asked = clock::now();
    auto outcome = co_await store::collect_bridge(server_, setup_, rules_, room, most);
    base::reached("after_bridge_collect");
    if (!outcome) {
        reserved_ -= room;
        co_return outcome;
    }
    answered_at_ = clock::now();
    auto copy = *outcome;
    tell(copy, room, asked);
    co_return outcome;
}

} // namespace leat::bridge
