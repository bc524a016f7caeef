#include "inspect/conversations.hpp"

#include "base/shown.hpp"
#include "inspect/trouble.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>

namespace leat::inspect {
namespace {

using base::shown_left;
using base::shown_name;
using boost::asio::awaitable;
using config::value;
using state = store::bridge_head_state;

std::string state_name(state is) {
    switch (is) {
    case state::idle:
        return "IDLE";
    case state::gone:
        return "GONE";
    case state::passed_request:
        return "PASSED_REQUEST";
    case state::wait_request:
        return "WAIT_REQUEST";
    case state::wait_ack:
        return "WAIT_ACK";
    case state::no_ack:
        return "NO_ACK";
    case state::wait_backoff:
        return "WAIT_BACKOFF";
    case state::wait_lease:
        return "WAIT_LEASE";
    case state::wait_out:
        return "WAIT_OUT";
    case state::free:
        return "FREE";
    }
    std::abort();
}

std::string why_nothing_goes(const conversation& seen) {
    auto open = std::ranges::find(seen.requests, true, &conversation::request::waiting);
    if (open == seen.requests.end()) {
        return "nothing waits in this conversation";
    }
    return fmt::format(
        "no response waits; request {} has no reply yet, and gives way in {}", shown_name(open->id),
        shown_left(open->left));
}

std::string why_request_waits(const conversation& seen, const std::string& first, const std::string& time) {
    auto found = std::ranges::find(seen.requests, seen.waits_for_key, &conversation::request::key);
    bool has_reply = found != seen.requests.end() && !found->waiting;
    return fmt::format(
        "{} waits: request {} {}; it gives way in {}", first, shown_name(seen.waits_for),
        has_reply ? "has announced more replies" : "has no reply yet", time);
}

// Enough to tell instances apart; the lease has all of it.
std::string short_owner(const std::string& owner) {
    constexpr std::size_t enough = 8;
    return owner.size() > enough ? shown_name(owner.substr(0, enough)) + "..." : shown_name(owner);
}

std::string why_leased(const conversation& seen, const std::string& first) {
    if (!seen.lease) {
        return first + " is being sent";
    }
    auto sender = fmt::format(
        "is being sent by instance {}, its lease ends in {}", short_owner(seen.lease->owner),
        shown_left(seen.lease->left));
    if (seen.head && seen.lease->response == seen.head->response_id) {
        return first + " " + sender;
    }
    return fmt::format("{} waits: {} {}", first, shown_name(seen.lease->response), sender);
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
    made.set("due", one.has_date ? value::of_whole(one.due) : value::null());
    made.set("left", one.left < 0 ? value::null() : value::of_whole(one.left));
    made.set("asyncResponseId", value::of_text(one.async));
    made.set("reason", value::of_text(one.reason));
    return made;
}

value as_value(const store::bridge_lease_row& one) {
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
    co_return conversation{checked(server, std::move(answer)), std::move(id)};
}

std::string why_it_waits(const conversation& seen) {
    if (!seen.head) {
        return why_nothing_goes(seen);
    }
    auto first = shown_name(seen.head->response_id);
    auto time = shown_left(std::max<std::int64_t>(0, seen.waits.value_or(0)));
    switch (seen.state) {
    case state::wait_request:
        return why_request_waits(seen, first, time);
    case state::wait_ack:
        return fmt::format("{} was sent and waits for its acknowledgement, for {} at most", first, time);
    case state::wait_backoff: {
        const auto* found = seen.find_response(seen.head->response_id);
        auto reason =
            found == nullptr || found->reason.empty() ? std::string{} : " (" + shown_name(found->reason) + ")";
        return fmt::format("{} failed{}, next try in {}", first, reason, time);
    }
    case state::wait_lease:
        return why_leased(seen, first);
    case state::wait_out: {
        const auto* found = seen.find_response(seen.head->response_id);
        return fmt::format(
            "{} waits for its gateway: the list of {} holds deliveries that nobody has taken in time, or cannot be "
            "pushed to; next look in {}",
            first, found == nullptr ? "its origin" : shown_name(found->origin), time);
    }
    case state::free:
        return first + " can go: an instance with room will take it";
    case state::idle:
    case state::gone:
    case state::passed_request:
    case state::no_ack:
        break;
    }
    return first + " waits until what is over before it is removed";
}

value as_value(const conversation& seen) {
    auto made = value::of_map();
    made.set("conversation", value::of_text(seen.id));
    made.set("key", value::of_text(seen.key));
    made.set("known", value::of_boolean(seen.is_known()));
    made.set("now", value::of_whole(seen.now));
    made.set("state", value::of_text(state_name(seen.state)));
    made.set("why", value::of_text(seen.is_known() ? why_it_waits(seen) : "nothing is known of it"));
    made.set("response", seen.head ? value::of_text(seen.head->response_id) : value::null());
    made.set("request", seen.head ? value::of_text(seen.head->request_id) : value::null());
    made.set("waitsFor", seen.waits_for_key.empty() ? value::null() : value::of_text(seen.waits_for_key));
    made.set("waits", seen.waits ? value::of_whole(std::max<std::int64_t>(0, *seen.waits)) : value::null());
    made.set("until", seen.waits ? value::of_whole(seen.now + std::max<std::int64_t>(0, *seen.waits)) : value::null());
    made.set("lease", seen.lease ? as_value(*seen.lease) : value::null());
    made.set("allRequests", value::of_whole(seen.all_requests));
    made.set("allResponses", value::of_whole(seen.all_responses));
    made.set("requests", list_of(seen.requests));
    made.set("responses", list_of(seen.responses));
    return made;
}

awaitable<std::vector<store::bridge_event>> bridge_events(redis::link& server, std::string prefix, std::string behind) {
    auto answer = co_await store::read_bridge_events(server, std::move(prefix), std::move(behind));
    co_return checked(server, std::move(answer));
}

} // namespace leat::inspect
