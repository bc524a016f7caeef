#include "inspect/queues.hpp"

#include "base/task_group.hpp"
#include "inspect/trouble.hpp"
#include "store/keys.hpp"
#include "store/queues.hpp"
#include "store/return_pending.hpp"
#include "store/scripts.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <array>

namespace leat::inspect {
namespace {

using boost::asio::awaitable;

void add_once(std::vector<std::string>& to, const std::string& text) {
    if (std::ranges::find(to, text) == to.end()) {
        to.push_back(text);
    }
}

std::string pending_of(const service& from) {
    for (const auto& [role, key] : from.roles) {
        if (role == "pending") {
            return key;
        }
    }
    return "";
}

// With all consumers; of very many only the first are asked.
awaitable<redis::result<std::int64_t>> count_in_flight(redis::link& server, std::string pending) {
    constexpr std::int64_t page = 500;
    constexpr std::int64_t most = 10'000;
    std::int64_t sum = 0;
    for (std::int64_t first = 0; first < most; first += page) {
        store::list_takers_call given{.keys = store::taking_keys{pending}, .first = first, .max_count = page};
        auto takers = co_await store::list_takers(server, std::move(given));
        if (!takers) {
            co_return takers.error();
        }
        for (const auto& each : takers->rows) {
            sum += each.in_flight;
        }
        if (first + page >= takers->all) {
            break;
        }
    }
    co_return sum;
}

awaitable<void> look_at(redis::link& server, queue& one, std::string& lost) {
    auto seen = co_await store::look_at_queue(server, one.key, one.pending, one.namespaces);
    one.trouble.clear();
    if (!seen) {
        // What concerns this queue alone is shown with it; a lost connection is not its matter.
        auto alone =
            seen.error().kind == redis::error_class::stop || seen.error().kind == redis::error_class::await_repair;
        (alone ? one.trouble : lost) = seen.error().text;
        co_return;
    }
    one.wrong_type = seen->type.empty() ? "" : seen->type.front();
    one.depth = seen->depth;
    one.delayed = seen->delayed_count;
    one.takers = seen->takers;
    one.lapsed = seen->lapsed;
    one.age = seen->age;
    one.in_flight = seen->pending_depth;
    if (seen->takers + seen->lapsed > 0) {
        auto in_hand = co_await count_in_flight(server, one.pending);
        if (in_hand) {
            one.in_flight += *in_hand;
        } else {
            one.trouble = in_hand.error().text;
        }
    }
}

} // namespace

std::vector<queue> queues_of(const std::vector<service>& services) {
    static constexpr std::array order{"in", "out", "reply", "done", "dead"};
    std::vector<queue> found;
    for (const auto* role : order) {
        for (const auto& owner : services) {
            for (const auto& [its_role, key] : owner.roles) {
                if (its_role != role || !owner.server.empty()) {
                    continue;
                }
                auto known = std::ranges::find(found, key, &queue::key);
                if (known == found.end()) {
                    found.push_back({.key = key});
                    known = std::prev(found.end());
                }
                add_once(known->roles, role);
                add_once(known->services, owner.name_space + ":" + owner.id);
                add_once(known->namespaces, owner.name_space);
                if (its_role == "in" && known->pending.empty()) {
                    known->pending = pending_of(owner);
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
        each.pending = each.pending.empty() ? store::pending_beside(each.key) : each.pending;
    }
    return found;
}

std::vector<queue> queues_named(const std::vector<std::string>& keys, const std::vector<service>& services) {
    auto known = queues_of(services);
    std::vector<queue> made;
    made.reserve(keys.size());
    for (const auto& key : keys) {
        auto found = std::ranges::find(known, key, &queue::key);
        if (found != known.end()) {
            made.push_back(*found);
            continue;
        }
        made.push_back({.key = key, .pending = store::pending_beside(key)});
        for (const auto& each : services) {
            add_once(made.back().namespaces, each.name_space);
        }
    }
    return made;
}

awaitable<void> queue_watch::look(redis::link& server, std::vector<queue>& queues) {
    // All at once, so that a slow link costs one way there and back, or two.
    base::task_group tasks{co_await boost::asio::this_coro::executor, base::create_log("leat")};
    std::string lost;
    for (auto& each : queues) {
        tasks.spawn("look", look_at(server, each, lost));
    }
    co_await tasks.wait();
    if (!lost.empty()) {
        throw inspect::trouble{server.server().shown, lost};
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

awaitable<std::int64_t> count_pending(redis::link& server, std::string pending, std::string source) {
    auto answer = co_await store::count_pending(server, std::move(pending), std::move(source));
    co_return checked(server, std::move(answer));
}

config::value as_value(const std::vector<queue>& queues) {
    using config::value;
    std::vector<value> list;
    for (const auto& each : queues) {
        auto one = value::of_map();
        one.set("queue", value::of_text(each.key));
        one.set("roles", value::of_texts(each.roles));
        one.set("services", value::of_texts(each.services));
        if (!each.trouble.empty()) {
            one.set("trouble", value::of_text(each.trouble));
        } else if (!each.wrong_type.empty()) {
            one.set("wrongType", value::of_text(each.wrong_type));
        } else {
            one.set("depth", value::of_whole(each.depth));
            one.set("inFlight", value::of_whole(each.in_flight));
            one.set("delayed", value::of_whole(each.delayed));
            one.set("oldest", each.age < 0 ? value::null() : value::of_whole(each.age));
            one.set("rate", each.rate ? value::of_number(*each.rate) : value::null());
            one.set("takers", value::of_whole(each.takers)); // its name before
            one.set("consumers", value::of_whole(each.takers));
            one.set("lapsed", value::of_whole(each.lapsed));
        }
        list.push_back(std::move(one));
    }
    return value::of_list(std::move(list));
}

} // namespace leat::inspect
