#include "cli/queue_table.hpp"

#include "base/shown.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

namespace leat::cli {
namespace {

using base::grouped;
using base::short_time;
using base::shown_name;

} // namespace

table as_table(const std::vector<inspect::queue>& queues) {
    table made{
        {{"QUEUE"},
         {"ROLE"},
         {"DEPTH", true},
         {"IN FLIGHT", true},
         {"DELAYED", true},
         {"OLDEST", true},
         {"RATE/s", true},
         {"CONSUMERS"},
         {"SERVICES"}}};
    for (const auto& each : queues) {
        auto name = shown_name(each.key);
        auto roles = shown_name(fmt::format("{}", fmt::join(each.roles, ",")));
        auto services = shown_name(fmt::format("{}", fmt::join(each.services, ",")));
        if (!each.trouble.empty()) {
            made.add({name, roles, shown_name(each.trouble), "", "", "", "", "", services});
            continue;
        }
        if (!each.wrong_type.empty()) {
            made.add({name, roles, "a " + shown_name(each.wrong_type) + ", not a list", "", "", "", "", "", services});
            continue;
        }
        auto takers = each.takers + each.lapsed == 0 ? "-" : std::to_string(each.takers);
        if (each.lapsed > 0) {
            takers += " +" + std::to_string(each.lapsed) + " dead";
        }
        made.add(
            {name, roles.empty() ? "-" : roles, grouped(each.depth), grouped(each.in_flight), grouped(each.delayed),
             each.depth == 0 ? "-" : short_time(each.age), each.rate ? fmt::format("{:+.0f}", *each.rate) : "-", takers,
             services});
    }
    return made;
}

} // namespace leat::cli
