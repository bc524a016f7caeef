#include "cli/queue_table.hpp"

#include "cli/numbers.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

namespace leat::cli {

table as_table(const std::vector<queue_state>& queues) {
    table made{
        {{"QUEUE"},
         {"ROLE"},
         {"DEPTH", true},
         {"IN FLIGHT", true},
         {"DELAYED", true},
         {"OLDEST", true},
         {"RATE/s", true},
         {"TAKERS"},
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

config::value as_value(const std::vector<queue_state>& queues) {
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
            one.set("takers", value::of_whole(each.takers));
            one.set("lapsed", value::of_whole(each.lapsed));
        }
        list.push_back(std::move(one));
    }
    return value::of_list(std::move(list));
}

} // namespace leat::cli
