#include "cli/message_lookup.hpp"

#include "base/unicode.hpp"
#include "cli/spots.hpp"
#include "cli/story.hpp"
#include "store/keys.hpp"
#include "store/taking.hpp"

#include <spdlog/fmt/ranges.h>

namespace leat::cli {

using boost::asio::awaitable;

std::vector<std::string> keys_with(
    const std::vector<store::listed_service>& services, std::string_view role, const std::string& service) {
    std::vector<std::string> found;
    for (const auto& each : services) {
        for (const auto& [its_role, key] : each.roles) {
            bool meant = its_role == role && (service.empty() || service == each.id);
            if (meant && std::ranges::find(found, key) == found.end()) {
                found.push_back(key);
            }
        }
    }
    return found;
}

namespace {

// The one that was named, or the only one that there is.
awaitable<std::string> the_namespace(redis::link& server, std::string asked) {
    if (!asked.empty()) {
        co_return asked;
    }
    auto all = checked(co_await store::namespaces(server));
    if (all.size() != 1) {
        throw std::runtime_error{
            all.empty()
                ? "no service was ever registered here; name the namespace: --namespace"
                : "name the namespace: --namespace " + base::printable(fmt::format("{}", fmt::join(all, " | ")), 1000)};
    }
    co_return all.front();
}

// In one list, or sorted set.
awaitable<bool> look_into(redis::link& server, std::string queue, std::string xid, std::int64_t scan, sighting& seen) {
    seen.queue = queue;
    seen.looked = 0;
    while (seen.looked < scan) {
        store::scripts::find_message_call call{
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
awaitable<sighting> look_for(
    redis::link& server, std::string out, std::string xid, const std::vector<store::listed_service>& services,
    std::int64_t scan) {
    sighting in_queue{.out = out};
    bool found = co_await look_into(server, out, xid, scan, in_queue);
    if (found) {
        in_queue.state = "queued";
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
    sighting seen{.out = out};
    store::taking_keys keys{of_taker("pending", out + ":pending")};
    auto takers = co_await store::list_takers(server, keys.pending(), 0, 1000);
    if (takers) {
        for (const auto& each : takers->rows) {
            found = co_await look_into(server, keys.pending() + ":" + each.id, xid, scan, seen);
            if (found) {
                seen.state = "in hand";
                seen.holder = fmt::format("{} (pid {} on {})", each.name, each.pid, each.host);
                co_return seen;
            }
        }
    }
    found = co_await look_into(server, keys.delayed(), xid, scan, seen);
    if (found) {
        seen.state = "delayed";
        co_return seen;
    }
    found = co_await look_into(server, of_taker("dead", out + ":dead"), xid, scan, seen);
    if (found) {
        seen.state = "dead";
        co_return seen;
    }
    co_return in_queue;
}

// By the story, which has the id and the namespace; the newest first.
awaitable<void> look_among_dead(redis::link& server, std::string list, shown_message& one, std::int64_t scan) {
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
                auto story = read_story(each.story);
                bool same_id = !one.id().empty() && text_of(story, "id") == one.id();
                bool same_xid = one.id().empty() && !one.xid().empty() && text_of(story, "xid") == one.xid();
                bool ours = text_of(story, "service").starts_with(one.name_space + ":");
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

awaitable<shown_message> look_up(redis::link& server, lookup where, std::string asked) {
    shown_message one{.asked = asked};
    one.name_space = co_await the_namespace(server, where.name_space);
    bool by_xid = asked.starts_with("xid:");
    auto id = by_xid ? std::string{} : asked;
    auto xid = by_xid ? asked.substr(4) : std::string{};
    redis::command ask{"TIME"};
    auto time = checked(co_await server.call(std::move(ask)));
    one.now = std::atoll(std::string{time.texts().front()}.c_str());
    one.known = checked(co_await store::show_message(server, one.name_space, id, xid));
    one.plan = read_story(one.word(5));
    auto services = checked(co_await store::list_services(server, one.name_space));
    if (one.known.state == delivered || one.known.state == waiting) {
        auto outs = keys_with(services, "out", one.word(2));
        if (const auto* planned = one.plan.find("outs"); planned != nullptr && planned->is_list()) {
            outs.clear();
            for (const auto& each : planned->items()) {
                outs.push_back(each.to_text().value_or(""));
            }
        }
        for (const auto& out : outs) {
            auto seen = co_await look_for(server, out, one.xid(), services, where.scan);
            const auto& told = one.known.known;
            seen.reported = std::find(told.begin() + 7, told.end(), out) != told.end();
            one.sightings.push_back(std::move(seen));
        }
    } else if (one.known.state != done) {
        auto lists = keys_with(services, "dead", "");
        lists.push_back(store::message_keys{one.name_space}.dead());
        for (const auto& list : lists) {
            if (!one.dead) {
                co_await look_among_dead(server, list, one, where.scan);
            }
        }
        if (one.dead) {
            one.known.state = given_up;
        }
    }
    co_return one;
}

} // namespace leat::cli
