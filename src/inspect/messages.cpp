#include "inspect/messages.hpp"

#include "base/unicode.hpp"
#include "inspect/details.hpp"
#include "inspect/peek.hpp"
#include "inspect/services.hpp"
#include "inspect/trouble.hpp"
#include "store/keys.hpp"
#include "store/scripts.hpp"

#include <spdlog/fmt/ranges.h>

#include <algorithm>

namespace leat::inspect {

using boost::asio::awaitable;
using state = store::message_state;

namespace {

bool is_tracked(const tracked_message& one) {
    return one.known.state == state::delivered || one.known.state == state::waiting;
}

// The one that was named, or the only one that there is.
awaitable<std::string> the_namespace(redis::link& server, std::string asked) {
    if (!asked.empty()) {
        co_return asked;
    }
    auto all = co_await list_namespaces(server, "");
    if (all.size() != 1) {
        throw trouble{
            server.server().shown, all.empty() ? "no service was ever registered here; name the namespace: --namespace"
                                               : "name the namespace: --namespace " +
                                                     base::printable(fmt::format("{}", fmt::join(all, " | ")), 1000)};
    }
    co_return all.front();
}

// In one list, or sorted set.
awaitable<bool> look_into(
    redis::link& server, std::string queue, std::string xid, std::int64_t scan, occurrence& seen) {
    seen.queue = queue;
    seen.looked = 0;
    while (seen.looked < scan) {
        store::find_message_call call{
            .list = queue,
            .xid = xid,
            .first = seen.looked,
            .max_count = std::min<std::int64_t>(1000, scan - seen.looked)};
        auto found = co_await store::find_message(server, std::move(call));
        if (!found) {
            break; // not a list, or not ours to read
        }
        seen.looked += found->looked;
        seen.length = found->length;
        seen.place = found->place;
        if (seen.place >= 0 || found->looked == 0) {
            break;
        }
    }
    co_return seen.place >= 0;
}

// In the out; else with whoever takes from it, as far as leat knows.
awaitable<occurrence> look_for(
    redis::link& server, std::string out, std::string xid, const std::vector<service>& services, std::int64_t scan) {
    occurrence in_queue{.out = out};
    bool found = co_await look_into(server, out, xid, scan, in_queue);
    if (found) {
        in_queue.state = occurrence_state::queued;
        co_return in_queue;
    }
    auto of_taker = [&services, &out](const char* role, const std::string& otherwise) {
        for (const auto& each : services) {
            std::pair<std::string, std::string> takes{"in", out};
            if (std::ranges::find(each.roles, takes) != each.roles.end()) {
                for (const auto& [its_role, key] : each.roles) {
                    if (its_role == role) {
                        return key;
                    }
                }
            }
        }
        return otherwise;
    };
    occurrence seen{.out = out};
    store::taking_keys keys{of_taker("pending", store::pending_beside(out))};
    store::list_takers_call given{.keys = keys, .first = 0, .max_count = 1000};
    auto takers = co_await store::list_takers(server, std::move(given));
    if (takers) {
        for (const auto& each : takers->rows) {
            found = co_await look_into(server, keys.hand(each.id), xid, scan, seen);
            if (found) {
                seen.state = occurrence_state::in_flight;
                seen.holder = fmt::format("{} (pid {} on {})", each.name, each.pid, each.host);
                co_return seen;
            }
        }
    }
    found = co_await look_into(server, keys.delayed(), xid, scan, seen);
    if (found) {
        seen.state = occurrence_state::delayed;
        co_return seen;
    }
    found = co_await look_into(server, of_taker("dead", store::dead_beside(out)), xid, scan, seen);
    if (found) {
        seen.state = occurrence_state::dead;
        co_return seen;
    }
    co_return in_queue;
}

// By the story, which has the id and the namespace; the newest first.
awaitable<void> look_among_dead(redis::link& server, std::string list, tracked_message& one, std::int64_t scan) {
    auto there = co_await store::peek(server, list, 0, 0);
    auto upper = there ? there->length : 0;
    std::int64_t largest = 0;
    one.dead_unseen = std::max<std::int64_t>(one.dead_unseen, upper - scan);
    for (auto last = std::max<std::int64_t>(0, upper - scan); upper > last && !one.dead;) {
        auto lower = std::max(last, upper - 200);
        std::int64_t read = 0;
        while (lower + read < upper) {
            auto page = co_await store::peek(server, list, lower + read, upper - lower - read, largest);
            if (!page || page->messages.empty()) {
                break;
            }
            largest = page->largest;
            for (auto& each : page->messages) {
                auto details = read_details(each.story);
                bool same_id = !one.id().empty() && text_of(details, "id") == one.id();
                bool same_xid = one.id().empty() && !one.xid().empty() && text_of(details, "xid") == one.xid();
                bool ours = text_of(details, "service").starts_with(one.name_space + ":");
                ++read;
                if (ours && (same_id || same_xid)) {
                    one.dead = std::move(each);
                    one.dead_list = list;
                }
            }
        }
        upper = lower;
    }
}

} // namespace

awaitable<tracked_message> look_up(redis::link& server, lookup where, std::string asked) {
    tracked_message one{.asked = asked};
    one.name_space = co_await the_namespace(server, where.name_space);
    bool by_xid = asked.starts_with("xid:");
    auto id = by_xid ? std::string{} : asked;
    auto xid = by_xid ? asked.substr(4) : std::string{};
    one.now = co_await server_seconds(server);
    one.known = checked(server, co_await store::show_message(server, one.name_space, id, xid));
    one.plan = read_details(one.known.plan);
    auto services = co_await list_services(server, one.name_space);
    if (is_tracked(one)) {
        auto outs = keys_with(services, "out", one.known.service);
        if (const auto* planned = one.plan.find("outs"); planned != nullptr && planned->is_list()) {
            outs.clear();
            for (const auto& each : planned->items()) {
                outs.push_back(each.to_text().value_or(""));
            }
        }
        for (const auto& out : outs) {
            auto seen = co_await look_for(server, out, one.xid(), services, where.scan);
            seen.reported = std::ranges::find(one.known.reported, out) != one.known.reported.end();
            one.occurrences.push_back(std::move(seen));
        }
    } else if (one.known.state != state::done) {
        auto lists = keys_with(services, "dead", "");
        lists.push_back(store::message_keys{one.name_space}.dead());
        for (const auto& list : lists) {
            if (!one.dead) {
                co_await look_among_dead(server, list, one, where.scan);
            }
        }
        if (one.dead) {
            one.known.state = state::dead;
        }
    }
    co_return one;
}

std::string state_name(state is) {
    switch (is) {
    case state::delivered:
        return "delivered";
    case state::waiting:
        return "waiting";
    case state::done:
        return "done";
    case state::timed_out:
        return "timed out";
    case state::dead:
        return "dead";
    case state::unknown:
        break;
    }
    return "unknown";
}

std::string to_string(occurrence_state is) {
    switch (is) {
    case occurrence_state::queued:
        return "queued";
    case occurrence_state::in_flight:
        return "in hand"; // the word that programs know
    case occurrence_state::delayed:
        return "delayed";
    case occurrence_state::dead:
        return "dead";
    case occurrence_state::taken:
        break;
    }
    return "taken";
}

config::value as_value(const tracked_message& one) {
    using config::value;
    auto made = value::of_map();
    made.set("asked", value::of_text(one.asked));
    made.set("namespace", value::of_text(one.name_space));
    made.set("id", value::of_text(one.id()));
    made.set("xid", value::of_text(one.xid()));
    made.set("state", value::of_text(state_name(one.known.state)));
    made.set("age", one.known.age < 0 ? value::null() : value::of_whole(one.known.age));
    if (is_tracked(one)) {
        made.set("due", value::of_whole(one.known.due));
        made.set("body", one.known.size < 0 ? value::null() : value::of_text(base::printable(one.known.body, 1000)));
        made.set("ttl", value::of_whole(one.known.ttl));
        made.set("service", value::of_text(one.known.service));
        if (!one.known.attempts.empty()) {
            made.set("attempts", value::of_whole(std::atoll(one.known.attempts.c_str())));
            made.set("times", value::of_text(one.known.times));
        }
    }
    std::vector<value> where;
    for (const auto& each : one.occurrences) {
        auto seen = value::of_map();
        seen.set("out", value::of_text(each.out));
        seen.set("state", value::of_text(to_string(each.state)));
        seen.set("queue", value::of_text(each.queue));
        seen.set("place", each.place < 0 ? value::null() : value::of_whole(each.place));
        seen.set("reported", value::of_boolean(each.reported));
        if (!each.holder.empty()) {
            seen.set("holder", value::of_text(each.holder));
        }
        where.push_back(std::move(seen));
    }
    made.set("where", value::of_list(std::move(where)));
    if (one.dead) {
        made.set("dead", value::of_text(one.dead_list));
        made.set("story", read_details(one.dead->story));
    }
    return made;
}

} // namespace leat::inspect
