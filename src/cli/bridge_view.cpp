#include "cli/bridge_view.hpp"

#include "cli/numbers.hpp"
#include "cli/spots.hpp"
#include "cli/table.hpp"
#include "message/raw_json.hpp"
#include "store/bridge.hpp"

#include <boost/json/object.hpp>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

namespace leat::cli {
namespace {

using boost::asio::awaitable;
namespace json = boost::json;

// The script writes large numbers as text, because Lua's own are not exact there.
class fields {
public:
    explicit fields(const json::value& from) {
        if (from.is_object()) {
            map_ = &from.get_object();
        }
    }
    const json::value* find(std::string_view name) const { return map_ == nullptr ? nullptr : map_->if_contains(name); }
    std::string text(std::string_view name) const {
        const auto* found = find(name);
        return found != nullptr && found->is_string() ? std::string{found->get_string()} : std::string{};
    }
    std::optional<std::int64_t> whole(std::string_view name) const {
        const auto* found = find(name);
        if (found == nullptr) {
            return std::nullopt;
        }
        if (found->is_string()) {
            auto digits = text(name);
            return digits.empty() ? std::nullopt : std::optional{std::int64_t{std::atoll(digits.c_str())}};
        }
        boost::system::error_code wrong;
        auto read = found->to_number<std::int64_t>(wrong);
        return wrong ? std::nullopt : std::optional{read};
    }
    // An empty table of Lua is written as an object.
    const json::array& list(std::string_view name) const {
        static const json::array none;
        const auto* found = find(name);
        return found != nullptr && found->is_array() ? found->get_array() : none;
    }

private:
    const json::object* map_ = nullptr;
};

bridge_view::request read_request(const fields& from) {
    bridge_view::request made;
    made.key = from.text("key");
    made.id = from.text("id");
    made.origin = from.text("origin");
    made.status = from.text("status");
    made.replies = from.whole("replies").value_or(0);
    made.timestamp = from.whole("timestamp").value_or(0);
    made.left = from.whole("ttl").value_or(-1);
    return made;
}

bridge_view::response read_response(const fields& from) {
    bridge_view::response made;
    made.id = from.text("id");
    made.request = from.text("request");
    made.origin = from.text("origin");
    made.status = from.text("status");
    made.order = from.text("order");
    made.async = from.text("async");
    made.reason = from.text("reason");
    made.attempts = from.whole("attempts").value_or(0);
    made.retries = from.whole("retries").value_or(0);
    made.left = from.whole("ttl").value_or(-1);
    made.due = from.whole("due");
    return made;
}

// The id of the request in the way; of one that is not in view, what is known of it.
std::string request_in_the_way(const bridge_view& seen) {
    auto found = std::ranges::find(seen.requests, seen.waits_for, &bridge_view::request::key);
    if (found != seen.requests.end() && !found->id.empty()) {
        return shown_name(found->id);
    }
    auto at = seen.waits_for.find("req:");
    return shown_name(at == std::string::npos ? seen.waits_for : seen.waits_for.substr(at + 4));
}

std::string why_nothing_goes(const bridge_view& seen) {
    auto open = std::ranges::find(seen.requests, "WAITING", &bridge_view::request::status);
    if (open == seen.requests.end()) {
        return "nothing waits in this conversation";
    }
    return fmt::format(
        "no response waits; request {} has no reply yet, and gives way in {}", shown_name(open->id),
        shown_left(open->left));
}

// Enough to tell instances apart; the lease has all of it.
std::string short_owner(const std::string& owner) {
    constexpr std::size_t enough = 8;
    return owner.size() > enough ? shown_name(owner.substr(0, enough)) + "..." : shown_name(owner);
}

std::string why_leased(const bridge_view& seen, const std::string& first) {
    if (!seen.held) {
        return first + " is being sent";
    }
    auto sender = fmt::format(
        "is being sent by instance {}, its lease ends in {}", short_owner(seen.held->owner),
        shown_left(seen.held->left));
    if (seen.head && seen.held->response == seen.head->response_id) {
        return first + " " + sender;
    }
    return fmt::format("{} waits: {} {}", first, shown_name(seen.held->response), sender);
}

} // namespace

const bridge_view::response* bridge_view::find_response(std::string_view id) const {
    auto found = std::ranges::find(responses, id, &response::id);
    return found == responses.end() ? nullptr : &*found;
}

const bridge_view::request* bridge_view::find_request(std::string_view id) const {
    auto found = std::ranges::find(requests, id, &request::id);
    return found == requests.end() ? nullptr : &*found;
}

bridge_view read_bridge_view(std::string conversation, std::string_view text) {
    boost::system::error_code wrong;
    auto read = message::parse_json(text, wrong);
    if (wrong || !read.is_object()) {
        throw std::runtime_error{"what Redis tells of the conversation cannot be read"};
    }
    fields from{read};
    bridge_view made;
    made.conversation = std::move(conversation);
    made.key = from.text("key");
    made.now = from.whole("now").value_or(0);
    made.verdict = from.text("verdict");
    made.waits = from.whole("waits");
    made.head = message::read_min_message_info(from.text("head"));
    made.waits_for = from.text("waits_for");
    made.all_requests = from.whole("all_requests").value_or(0);
    made.all_responses = from.whole("all_responses").value_or(0);
    if (const auto* lock = from.find("lock")) {
        fields held{*lock};
        made.held = bridge_view::lease{
            held.text("owner"), held.text("response"), held.whole("token").value_or(0),
            held.whole("ends").value_or(-1)};
    }
    for (const auto& each : from.list("requests")) {
        made.requests.push_back(read_request(fields{each}));
    }
    for (const auto& each : from.list("responses")) {
        made.responses.push_back(read_response(fields{each}));
    }
    return made;
}

awaitable<bridge_view> look_at_conversation(
    redis::link& server, std::string prefix, std::string conversation, std::int64_t most) {
    auto answer = co_await store::look_at_bridge(server, std::move(prefix), conversation, most);
    auto text = checked(std::move(answer));
    co_return read_bridge_view(std::move(conversation), text);
}

std::string why_it_waits(const bridge_view& seen) {
    if (!seen.head) {
        return why_nothing_goes(seen);
    }
    auto first = shown_name(seen.head->response_id);
    auto time = shown_left(std::max<std::int64_t>(0, seen.waits.value_or(0)));
    if (seen.verdict == "WAIT_REQUEST") {
        auto found = std::ranges::find(seen.requests, seen.waits_for, &bridge_view::request::key);
        bool has_reply = found != seen.requests.end() && found->status != "WAITING";
        return fmt::format(
            "{} waits: request {} {}; it gives way in {}", first, request_in_the_way(seen),
            has_reply ? "has announced more replies" : "has no reply yet", time);
    }
    if (seen.verdict == "WAIT_ACK") {
        return fmt::format("{} was sent and waits for its acknowledgement, for {} at most", first, time);
    }
    if (seen.verdict == "WAIT_BACKOFF") {
        const auto* found = seen.find_response(seen.head->response_id);
        auto reason =
            found == nullptr || found->reason.empty() ? std::string{} : " (" + shown_name(found->reason) + ")";
        return fmt::format("{} failed{}, next try in {}", first, reason, time);
    }
    if (seen.verdict == "WAIT_LEASE") {
        return why_leased(seen, first);
    }
    if (seen.verdict == "WAIT_OUT") {
        const auto* found = seen.find_response(seen.head->response_id);
        return fmt::format(
            "{} waits for its gateway: the list of {} holds deliveries that nobody has taken in time, or cannot be "
            "pushed to; next look in {}",
            first, found == nullptr ? "its origin" : shown_name(found->origin), time);
    }
    if (seen.verdict == "FREE") {
        return first + " can go: an instance with room will take it";
    }
    return first + " waits until what is over before it is removed";
}

std::string shown_left(std::int64_t milliseconds) {
    constexpr std::int64_t long_time = 120'000;
    if (milliseconds < 0) {
        return "-";
    }
    return milliseconds < long_time ? fmt::format("{:.1f} s", static_cast<double>(milliseconds) / 1000)
                                    : short_time(milliseconds / 1000);
}

std::string utc_time(std::int64_t milliseconds) {
    auto seconds = static_cast<std::time_t>(milliseconds / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    return fmt::format(
        "{}-{:02}-{:02} {:02}:{:02}:{:02}.{:03} UTC", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
        parts.tm_hour, parts.tm_min, parts.tm_sec, milliseconds % 1000);
}

} // namespace leat::cli
