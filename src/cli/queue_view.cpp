#include "cli/queue_view.hpp"

#include "base/task_group.hpp"
#include "store/queues.hpp"
#include "store/taking.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace leat::cli {
namespace {

using boost::asio::awaitable;

void add_once(std::vector<std::string>& to, const std::string& text) {
    if (std::ranges::find(to, text) == to.end()) {
        to.push_back(text);
    }
}

std::string pending_of(const store::listed_service& service) {
    for (const auto& [role, key] : service.roles) {
        if (role == "pending") {
            return key;
        }
    }
    return "";
}

// In all hands; of very many takers only the first are asked.
awaitable<redis::result<std::int64_t>> count_in_hand(redis::link& server, std::string pending) {
    constexpr std::int64_t page = 500;
    constexpr std::int64_t most = 10'000;
    std::int64_t sum = 0;
    for (std::int64_t first = 0; first < most; first += page) {
        auto takers = co_await store::list_takers(server, pending, first, page);
        if (!takers) {
            co_return takers.error();
        }
        for (const auto& each : takers->rows) {
            sum += each.in_hand;
        }
        if (first + page >= takers->all) {
            break;
        }
    }
    co_return sum;
}

awaitable<void> look_at(redis::link& server, queue_state& queue, std::string& lost) {
    auto seen = co_await store::look_at_queue(server, queue.key, queue.pending, queue.namespaces);
    queue.trouble.clear();
    if (!seen) {
        // What concerns this queue alone is told with it; a lost connection is not its matter.
        auto alone =
            seen.error().kind == redis::error_class::stop || seen.error().kind == redis::error_class::await_repair;
        (alone ? queue.trouble : lost) = seen.error().text;
        co_return;
    }
    queue.wrong_type = seen->type.empty() ? "" : seen->type.front();
    queue.depth = seen->depth;
    queue.delayed = seen->delayed_count;
    queue.takers = seen->takers;
    queue.lapsed = seen->lapsed;
    queue.age = seen->age;
    queue.in_flight = seen->pending_depth;
    if (seen->takers + seen->lapsed > 0) {
        auto in_hand = co_await count_in_hand(server, queue.pending);
        if (in_hand) {
            queue.in_flight += *in_hand;
        } else {
            queue.trouble = in_hand.error().text;
        }
    }
}

} // namespace

std::vector<queue_state> queues_of(const std::vector<store::listed_service>& services) {
    static constexpr std::array order{"in", "out", "reply", "done", "dead"};
    std::vector<queue_state> found;
    for (const auto* role : order) {
        for (const auto& service : services) {
            for (const auto& [its_role, key] : service.roles) {
                if (its_role != role || !service.server.empty()) {
                    continue;
                }
                auto known = std::ranges::find(found, key, &queue_state::key);
                if (known == found.end()) {
                    found.push_back({.key = key});
                    known = std::prev(found.end());
                }
                add_once(known->roles, role);
                add_once(known->services, service.name_space + ":" + service.id);
                add_once(known->namespaces, service.name_space);
                if (its_role == "in" && known->pending.empty()) {
                    known->pending = pending_of(service);
                }
            }
        }
    }
    // A message of one namespace may be in the queue of another's service.
    std::vector<std::string> all;
    for (const auto& each : services) {
        add_once(all, each.name_space);
    }
    for (auto& each : found) {
        each.namespaces = all;
        each.pending = each.pending.empty() ? each.key + ":pending" : each.pending;
    }
    return found;
}

std::vector<queue_state> queues_named(
    const std::vector<std::string>& keys, const std::vector<store::listed_service>& services) {
    auto known = queues_of(services);
    std::vector<queue_state> made;
    made.reserve(keys.size());
    for (const auto& key : keys) {
        auto found = std::ranges::find(known, key, &queue_state::key);
        if (found != known.end()) {
            made.push_back(*found);
            continue;
        }
        made.push_back({.key = key, .pending = key + ":pending"});
        for (const auto& each : services) {
            add_once(made.back().namespaces, each.name_space);
        }
    }
    return made;
}

awaitable<void> queue_view::look(redis::link& server, std::vector<queue_state>& queues) {
    // All at once, so that a slow link costs one way there and back, or two.
    base::task_group tasks{co_await boost::asio::this_coro::executor, base::create_log("leat")};
    std::string trouble;
    for (auto& each : queues) {
        tasks.spawn("look", look_at(server, each, trouble));
    }
    co_await tasks.wait();
    if (!trouble.empty()) {
        throw std::runtime_error{trouble};
    }
    auto now = std::chrono::steady_clock::now();
    for (auto& each : queues) {
        if (auto before = before_.find(each.key); before != before_.end()) {
            auto passed = std::chrono::duration<double>{now - before->second.at}.count();
            each.rate = static_cast<double>(each.depth - before->second.depth) / std::max(passed, 0.001);
        }
        before_[each.key] = {each.depth, now};
    }
}

} // namespace leat::cli
