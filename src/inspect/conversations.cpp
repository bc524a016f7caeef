#include "inspect/conversations.hpp"

#include "base/shown.hpp"
#include "inspect/trouble.hpp"
#include "message/raw_json.hpp"
#include "store/bridge.hpp"

#include <boost/json/object.hpp>

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>

namespace leat::inspect {
namespace {

using base::shown_left;
using base::shown_name;
using boost::asio::awaitable;
using config::value;
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

conversation::request read_request(const fields& from) {
    conversation::request made;
    made.key = from.text("key");
    made.id = from.text("id");
    made.origin = from.text("origin");
    made.status = from.text("status");
    made.replies = from.whole("replies").value_or(0);
    made.timestamp = from.whole("timestamp").value_or(0);
    made.left = from.whole("ttl").value_or(-1);
    return made;
}

conversation::response read_response(const fields& from) {
    conversation::response made;
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

std::optional<conversation> read_conversation(std::string_view text) {
    boost::system::error_code wrong;
    auto read = message::parse_json(text, wrong);
    if (wrong || !read.is_object()) {
        return std::nullopt;
    }
    fields from{read};
    conversation made;
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
        made.held = conversation::lease{
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

// The id of the request in the way; of one that is not in view, what is known of it.
std::string request_in_the_way(const conversation& seen) {
    auto found = std::ranges::find(seen.requests, seen.waits_for, &conversation::request::key);
    if (found != seen.requests.end() && !found->id.empty()) {
        return shown_name(found->id);
    }
    auto at = seen.waits_for.find("req:");
    return shown_name(at == std::string::npos ? seen.waits_for : seen.waits_for.substr(at + 4));
}

std::string why_nothing_goes(const conversation& seen) {
    auto open = std::ranges::find(seen.requests, "WAITING", &conversation::request::status);
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

std::string why_leased(const conversation& seen, const std::string& first) {
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

value as_value(const conversation::request& one) {
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

value as_value(const conversation::response& one) {
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

value as_value(const conversation::lease& one) {
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

const conversation::response* conversation::find_response(std::string_view response_id) const {
    auto found = std::ranges::find(responses, response_id, &response::id);
    return found == responses.end() ? nullptr : &*found;
}

const conversation::request* conversation::find_request(std::string_view request_id) const {
    auto found = std::ranges::find(requests, request_id, &request::id);
    return found == requests.end() ? nullptr : &*found;
}

awaitable<conversation> look_at_conversation(
    redis::link& server, std::string prefix, std::string id, std::int64_t most) {
    auto answer = co_await store::look_at_bridge(server, std::move(prefix), id, most);
    auto text = checked(server, std::move(answer));
    auto seen = read_conversation(text);
    if (!seen) {
        throw trouble{server.server().shown, "what Redis tells of the conversation cannot be read"};
    }
    seen->id = std::move(id);
    co_return std::move(*seen);
}

std::string why_it_waits(const conversation& seen) {
    if (!seen.head) {
        return why_nothing_goes(seen);
    }
    auto first = shown_name(seen.head->response_id);
    auto time = shown_left(std::max<std::int64_t>(0, seen.waits.value_or(0)));
    if (seen.verdict == "WAIT_REQUEST") {
        auto found = std::ranges::find(seen.requests, seen.waits_for, &conversation::request::key);
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

value as_value(const conversation& seen) {
    auto made = value::of_map();
    made.set("conversation", value::of_text(seen.id));
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

} // namespace leat::inspect
