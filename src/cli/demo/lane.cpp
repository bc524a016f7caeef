#include "cli/demo/lane.hpp"

#include "cli/table.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <set>

namespace leat::cli {
namespace {

// One word for the first response, by what it waits for.
std::string state_of_head(const inspect::conversation& seen) {
    using state = store::bridge_head_state;
    switch (seen.state) {
    case state::wait_request:
        return "after " + seen.waits_for;
    case state::wait_ack:
        return "ack?";
    case state::wait_backoff:
        return "failed";
    case state::wait_lease:
        return "sending";
    default:
        return "can go";
    }
}

std::string state_of_reply(const demo_lane& lane, const std::string& reply) {
    const auto& all = lane.seen.responses;
    auto found = std::ranges::find(all, reply, &inspect::conversation::response::id);
    if (found == all.end()) {
        return lane.has_received(reply) ? "received" : "";
    }
    if (lane.seen.head && lane.seen.head->response_id == reply) {
        return state_of_head(lane.seen);
    }
    return found == all.begin() ? "" : "after " + std::prev(found)->id;
}

std::string state_of(const demo_lane& lane, const demo_lane::turn& one) {
    return one.gave_way ? "gave way" : one.reply.empty() ? "asked" : state_of_reply(lane, one.reply);
}

} // namespace

bool demo_lane::has_received(const std::string& reply) const {
    return std::ranges::find(received, reply) != received.end();
}

demo_verdict check_lane(const demo_lane& lane) {
    demo_verdict made;
    std::vector<std::string> expected;
    for (const auto& each : lane.turns) {
        if (!each.reply.empty()) {
            expected.push_back(each.reply);
            made.lost += lane.has_received(each.reply) ? 0 : 1;
        }
    }
    std::set<std::string> known;
    auto last = expected.begin();
    for (const auto& each : lane.received) {
        if (!known.insert(each).second) {
            ++made.duplicated;
            continue;
        }
        auto found = std::ranges::find(expected, each);
        made.in_order = made.in_order && found >= last;
        last = std::max(last, found);
    }
    return made;
}

std::vector<std::string> lines_of(const demo_lane& lane, std::size_t columns) {
    constexpr std::size_t names = 10;
    constexpr std::size_t most_turns = 7;
    auto width = std::clamp<std::size_t>((std::max(columns, names) - names) / most_turns, 9, 14);
    std::string requests = fmt::format("{:<{}}", "  asked", names);
    std::string replies = fmt::format("{:<{}}", "  reply", names);
    std::string states = fmt::format("{:<{}}", "", names);
    for (const auto& each : lane.turns) {
        requests += fmt::format("{:<{}}", each.request, width);
        replies += fmt::format("{:<{}}", each.reply.empty() ? "-" : each.reply, width);
        states += fmt::format("{:<{}}", cut(state_of(lane, each), width - 1), width);
    }
    return {
        fmt::format("{} on {}", lane.conversation, lane.origin),
        requests,
        replies,
        states,
        "  > " + inspect::why_it_waits(lane.seen),
        fmt::format("  got     {}", fmt::join(lane.received, " ")),
    };
}

} // namespace leat::cli
