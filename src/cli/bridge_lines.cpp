#include "cli/bridge_lines.hpp"

#include "base/shown.hpp"
#include "cli/table.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace leat::cli {
namespace {

using base::grouped;
using base::shown_left;
using base::shown_name;
using inspect::conversation;

std::string title(const char* what, std::size_t shown, std::int64_t all) {
    auto most = static_cast<std::int64_t>(shown);
    return most < all ? fmt::format("{}: the first {} of {}", what, grouped(most), grouped(all))
                      : fmt::format("{}: {}", what, grouped(all));
}

table requests_of(const conversation& seen) {
    table made{{{"REQUEST"}, {"ORIGIN"}, {"STATUS"}, {"REPLIES", true}, {"TIME LEFT", true}}};
    for (const auto& each : seen.requests) {
        made.add(
            {shown_name(each.id.empty() ? each.key : each.id), shown_name(each.origin), shown_name(each.status),
             grouped(each.replies), shown_left(each.left)});
    }
    return made;
}

table responses_of(const conversation& seen) {
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
        auto look = !each.has_date ? "-" : each.due <= 0 ? "now" : shown_left(each.due);
        made.add(
            {shown_name(each.order), shown_name(each.id), shown_name(each.request), shown_name(each.status),
             grouped(each.attempts), grouped(each.retries), look, shown_left(each.left), shown_name(each.reason)});
    }
    return made;
}

std::string shown_lease(const conversation& seen) {
    if (!seen.lease) {
        return "nobody holds it";
    }
    return fmt::format(
        "{}, token {}, for {}, {} left", shown_name(seen.lease->owner), seen.lease->token,
        shown_name(seen.lease->response), shown_left(seen.lease->left));
}

void add_table(std::vector<std::string>& lines, std::string title, const table& part) {
    lines.emplace_back();
    lines.push_back(std::move(title));
    for (auto& each : part.lines()) {
        lines.push_back(std::move(each));
    }
}

} // namespace

std::vector<std::string> lines_of(const conversation& seen) {
    auto row = [](const char* name, const std::string& text) { return fmt::format("{:<13} {}", name, text); };
    if (!seen.is_known()) {
        return {
            "nothing is known of conversation " + shown_name(seen.id),
            fmt::format("({} and {}:req are not there)", shown_name(seen.key), shown_name(seen.key))};
    }
    std::vector<std::string> lines{row("conversation", shown_name(seen.id))};
    lines.push_back(row(
        "first", seen.head ? shown_name(seen.head->response_id) + ", a reply to " + shown_name(seen.head->request_id)
                           : std::string{"none"}));
    lines.push_back(row("why", inspect::why_it_waits(seen)));
    if (seen.waits) {
        auto left = std::max<std::int64_t>(0, *seen.waits);
        lines.push_back(row("until", fmt::format("{}, in {}", base::utc_time(seen.now + left), shown_left(left))));
    }
    lines.push_back(row("lease", shown_lease(seen)));
    lines.push_back(row("server's time", base::utc_time(seen.now)));
    add_table(lines, title("requests", seen.requests.size(), seen.all_requests), requests_of(seen));
    add_table(lines, title("responses", seen.responses.size(), seen.all_responses), responses_of(seen));
    return lines;
}

} // namespace leat::cli
