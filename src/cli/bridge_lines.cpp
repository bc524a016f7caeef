// A conversation of a bridge for people, and as JSON.
#include "cli/bridge_view.hpp"
#include "cli/numbers.hpp"
#include "cli/table.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace leat::cli {
namespace {

using config::value;

std::string title(const char* what, std::size_t shown, std::int64_t all) {
    auto most = static_cast<std::int64_t>(shown);
    return most < all ? fmt::format("{}: the first {} of {}", what, grouped(most), grouped(all))
                      : fmt::format("{}: {}", what, grouped(all));
}

table requests_of(const bridge_view& seen) {
    table made{{{"REQUEST"}, {"ORIGIN"}, {"STATUS"}, {"REPLIES", true}, {"TIME LEFT", true}}};
    for (const auto& each : seen.requests) {
        made.add(
            {shown_name(each.id.empty() ? each.key : each.id), shown_name(each.origin), shown_name(each.status),
             grouped(each.replies), shown_left(each.left)});
    }
    return made;
}

table responses_of(const bridge_view& seen) {
    table made{
        {{"ORDER"},
         {"RESPONSE"},
         {"REQUEST"},
         {"STATUS"},
         {"TRIES", true},
         {"RETRIES", true},
         {"NEXT", true},
         {"LIFE", true},
         {"REASON"}}};
    for (const auto& each : seen.responses) {
        auto look = !each.due ? "-" : *each.due <= 0 ? "now" : shown_left(*each.due);
        made.add(
            {shown_name(each.order), shown_name(each.id), shown_name(each.request), shown_name(each.status),
             grouped(each.attempts), grouped(each.retries), look, shown_left(each.left), shown_name(each.reason)});
    }
    return made;
}

std::string shown_lease(const bridge_view& seen) {
    if (!seen.held) {
        return "nobody holds it";
    }
    return fmt::format(
        "{}, token {}, for {}, {} left", shown_name(seen.held->owner), seen.held->token,
        shown_name(seen.held->response), shown_left(seen.held->left));
}

void add_table(std::vector<std::string>& lines, std::string title, const table& part) {
    lines.emplace_back();
    lines.push_back(std::move(title));
    for (auto& each : part.lines()) {
        lines.push_back(std::move(each));
    }
}

value as_value(const bridge_view::request& one) {
    auto made = value::of_map();
    made.set("id", value::of_text(one.id));
    made.set("key", value::of_text(one.key));
    made.set("origin", value::of_text(one.origin));
    made.set("status", value::of_text(one.status));
    made.set("timestamp", value::of_whole(one.timestamp));
    made.set("replies", value::of_whole(one.replies));
    made.set("left", one.left < 0 ? value::null() : value::of_whole(one.left));
    return made;
}

value as_value(const bridge_view::response& one) {
    auto made = value::of_map();
    made.set("order", value::of_text(one.order));
    made.set("id", value::of_text(one.id));
    made.set("request", value::of_text(one.request));
    made.set("origin", value::of_text(one.origin));
    made.set("status", value::of_text(one.status));
    made.set("attempts", value::of_whole(one.attempts));
    made.set("retries", value::of_whole(one.retries));
    made.set("due", one.due ? value::of_whole(*one.due) : value::null());
    made.set("left", one.left < 0 ? value::null() : value::of_whole(one.left));
    made.set("asyncResponseId", value::of_text(one.async));
    made.set("reason", value::of_text(one.reason));
    return made;
}

value as_value(const bridge_view::lease& one) {
    auto made = value::of_map();
    made.set("owner", value::of_text(one.owner));
    made.set("token", value::of_whole(one.token));
    made.set("response", value::of_text(one.response));
    made.set("left", value::of_whole(one.left));
    return made;
}

template <class T>
value list_of(const std::vector<T>& all) {
    std::vector<value> made;
    made.reserve(all.size());
    for (const auto& each : all) {
        made.push_back(as_value(each));
    }
    return value::of_list(std::move(made));
}

} // namespace

std::vector<std::string> lines_of(const bridge_view& seen) {
    auto row = [](const char* name, const std::string& text) { return fmt::format("{:<13} {}", name, text); };
    if (!seen.is_known()) {
        return {
            "nothing is known of conversation " + shown_name(seen.conversation),
            fmt::format("({} and {}:req are not there)", shown_name(seen.key), shown_name(seen.key))};
    }
    std::vector<std::string> lines{row("conversation", shown_name(seen.conversation))};
    lines.push_back(row(
        "first", seen.head ? shown_name(seen.head->response_id) + ", a reply to " + shown_name(seen.head->request_id)
                           : std::string{"none"}));
    lines.push_back(row("why", why_it_waits(seen)));
    if (seen.waits) {
        auto left = std::max<std::int64_t>(0, *seen.waits);
        lines.push_back(row("until", fmt::format("{}, in {}", utc_time(seen.now + left), shown_left(left))));
    }
    lines.push_back(row("lease", shown_lease(seen)));
    lines.push_back(row("server's time", utc_time(seen.now)));
    add_table(lines, title("requests", seen.requests.size(), seen.all_requests), requests_of(seen));
    add_table(lines, title("responses", seen.responses.size(), seen.all_responses), responses_of(seen));
    return lines;
}

value as_value(const bridge_view& seen) {
    auto made = value::of_map();
    made.set("conversation", value::of_text(seen.conversation));
    made.set("key", value::of_text(seen.key));
    made.set("known", value::of_boolean(seen.is_known()));
    made.set("now", value::of_whole(seen.now));
    made.set("state", value::of_text(seen.verdict));
    made.set("why", value::of_text(seen.is_known() ? why_it_waits(seen) : "nothing is known of it"));
    made.set("response", seen.head ? value::of_text(seen.head->response_id) : value::null());
    made.set("request", seen.head ? value::of_text(seen.head->request_id) : value::null());
    made.set("waitsFor", seen.waits_for.empty() ? value::null() : value::of_text(seen.waits_for));
    made.set("waits", seen.waits ? value::of_whole(std::max<std::int64_t>(0, *seen.waits)) : value::null());
    made.set("until", seen.waits ? value::of_whole(seen.now + std::max<std::int64_t>(0, *seen.waits)) : value::null());
    made.set("lease", seen.held ? as_value(*seen.held) : value::null());
    made.set("allRequests", value::of_whole(seen.all_requests));
    made.set("allResponses", value::of_whole(seen.all_responses));
    made.set("requests", list_of(seen.requests));
    made.set("responses", list_of(seen.responses));
    return made;
}

} // namespace leat::cli
