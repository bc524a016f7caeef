#include "store/bridge.hpp"

#include "base/unicode.hpp"
#include "store/keys.hpp"
#include "store/run_verb.hpp"
#include "store/scripts.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace leat::store {

using boost::asio::awaitable;
using message::min_message_info;

namespace {

constexpr std::array<std::pair<bridge_state, std::string_view>, 29> state_names{{
    {bridge_state::registered, "REGISTERED"},
    {bridge_state::existing, "EXISTING"},
    {bridge_state::claimed, "CLAIMED"},
    {bridge_state::ready, "READY"},
    {bridge_state::idle, "IDLE"},
    {bridge_state::wait_request, "WAIT_REQUEST"},
    {bridge_state::wait_response, "WAIT_RESPONSE"},
    {bridge_state::wait_ack, "WAIT_ACK"},
    {bridge_state::wait_backoff, "WAIT_BACKOFF"},
    {bridge_state::wait_lease, "WAIT_LEASE"},
    {bridge_state::wait_out, "WAIT_OUT"},
    {bridge_state::wait_drain, "WAIT_DRAIN"},
    {bridge_state::delivered, "DELIVERED"},
    {bridge_state::sent, "SENT"},
    {bridge_state::awaited, "AWAITED"},
    {bridge_state::cancelled, "CANCELLED"},
    {bridge_state::deleted, "DELETED"},
    {bridge_state::postponed, "POSTPONED"},
    {bridge_state::early, "EARLY"},
    {bridge_state::late, "LATE"},
    {bridge_state::duplicate, "DUPLICATE"},
    {bridge_state::conflict, "CONFLICT"},
    {bridge_state::full, "FULL"},
    {bridge_state::group_too_large, "GROUP_TOO_LARGE"},
    {bridge_state::fenced, "FENCED"},
    {bridge_state::again, "AGAIN"},
    {bridge_state::gone, "GONE"},
    {bridge_state::not_found, "NOT_FOUND"},
    {bridge_state::error, "ERROR"},
}};

// Nothing when it stands in keys as it is.
std::string key_name(const std::string& conversation) {
    auto name = bridge_keys::escaped(conversation);
    return name == conversation ? std::string{} : name;
}

std::string letter_of(bridge_sending how) {
    switch (how) {
    case bridge_sending::sent:
        return "s";
    case bridge_sending::sent_async:
        return "a";
    case bridge_sending::recoverable:
        return "r";
    case bridge_sending::fatal:
        return "f";
    }
    std::abort();
}

bridging rules_of(const bridge_setup& setup, const bridge_rules& rules, std::int64_t room) {
    return {
        .pending = bridge_keys{setup.prefix}.pending(),
        .prefix = setup.prefix,
        .owner = setup.owner,
        .out = setup.out,
        .dead = setup.dead,
        .source = setup.source,
        .answers = setup.answers,
        .source_hands = setup.source_hands,
        .answers_hands = setup.answers_hands,
        .room = room,
        .message_ttl = rules.message_ttl,
        .awaited_ttl = rules.awaited_ttl,
        .pending_ttl = rules.pending_ttl,
        .margin = rules.margin,
        .sent_ttl = rules.sent_ttl,
        .dedup_ttl = rules.dedup_ttl,
        .keep_ttl = rules.keep_ttl,
        .retry_base = rules.retry_base,
        .capacity = rules.capacity,
        .max_attempts = rules.max_attempts,
        .max_retries = rules.max_retries,
        .retries_end = rules.retries_end,
        .events_max = rules.events_max};
}

template <class Call>
redis::script_call call_of(bridging rules, std::vector<bridge_item> items, std::vector<lease_token> leases) {
    Call made;
    made.rules = std::move(rules);
    for (auto& each : leases) {
        made.leases.push_back(std::move(each.key));
        made.tokens += (made.tokens.empty() ? "" : " ") + each.token;
    }
    for (auto& item : items) {
        for (auto& word : item) {
            made.items.push_back(std::move(word));
        }
    }
    return make_call(std::move(made));
}

template <class Outcome>
redis::result<bridge_outcome> outcome_of(redis::reply answer) {
    auto found = read_verb<Outcome>(std::move(answer));
    if (!found) {
        return found.error();
    }
    bridge_outcome made{.claimed = found->claimed, .ready = found->ready, .due = found->due};
    for (auto& each : found->claims) {
        if (auto ids = message::read_min_message_info(each.member)) { // we wrote it ourselves
            made.claims.push_back(
                {std::move(*ids), each.token, each.timestamp, each.number, each.attempt, std::move(each.origin),
                 std::move(each.task)});
        }
    }
    made.refused = std::move(found->refused);
    if constexpr (requires { found->seen; }) {
        made.seen = found->seen;
    } else {
        for (auto& each : found->answers) {
            made.answers.push_back({read_bridge_state(each.state), each.waits, std::move(each.detail)});
        }
    }
    return made;
}

bridge_conversation conversation_of(bridge_look_outcome found) {
    bridge_conversation made{
        .key = std::move(found.key),
        .now = found.now,
        .state = found.state,
        .waits = found.has_end ? std::optional{found.waits} : std::nullopt,
        .head = message::read_min_message_info(found.head),
        .waits_for_key = std::move(found.waits_for_key),
        .waits_for = std::move(found.waits_for),
        .lease = {},
        .requests = std::move(found.requests),
        .responses = std::move(found.responses),
        .all_requests = found.all_requests,
        .all_responses = found.all_responses};
    if (!found.lease.empty()) {
        made.lease = std::move(found.lease.front());
    }
    return made;
}

redis::result<bridge_outcome> masked(const redis::link& server, redis::result<bridge_outcome> outcome) {
    if (outcome) {
        outcome->refused = server.masked(outcome->refused);
        for (auto& each : outcome->answers) {
            if (each.state == bridge_state::error) {
                each.detail = server.masked(each.detail);
            }
        }
    }
    return outcome;
}

awaitable<redis::result<bridge_fields>> read_hash(redis::link& server, std::string key) {
    redis::command words{"HGETALL", std::move(key)};
    auto answer = co_await server.call(std::move(words));
    if (!answer) {
        co_return answer.error();
    }
    bridge_fields made;
    auto texts = answer->texts();
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) {
        made.emplace(texts[i], texts[i + 1]);
    }
    co_return made;
}

} // namespace

std::string_view to_string(bridge_state state) {
    for (const auto& [each, name] : state_names) {
        if (each == state) {
            return name;
        }
    }
    std::abort();
}

bridge_state read_bridge_state(std::string_view text) {
    for (const auto& [each, name] : state_names) {
        if (name == text) {
            return each;
        }
    }
    return bridge_state::error;
}

std::string bridge_keys::escaped(std::string_view conversation) {
    static constexpr std::string_view hex = "0123456789ABCDEF";
    static constexpr std::array<std::string_view, 7> own_words{"pendingMessages", "req",    "res",  "asyncRequest",
                                                               "counts",          "events", "state"};
    auto escape = [](char byte) {
        auto bits = static_cast<unsigned char>(byte);
        return std::string{'%', hex[bits >> 4], hex[bits & 15]};
    };
    std::string made;
    for (char each : conversation) {
        made += each == '{' || each == '}' || each == '%' ? escape(each) : std::string(1, each);
    }
    if (made.ends_with(":req") || made.ends_with(":lock")) {
        made.replace(made.rfind(':'), 1, "%3A");
    }
    bool is_own = std::ranges::find(own_words, conversation) != own_words.end();
    if (is_own || made.starts_with("req:") || made.starts_with("res:") || made.starts_with("asyncRequest:")) {
        made.replace(0, 1, escape(made.front()));
    }
    return made;
}

bridge_item item_of(const bridge_request& given) {
    return {"q",          given.conversation_id, key_name(given.conversation_id),
            given.origin, given.request_id,      std::to_string(given.timestamp)};
}

bridge_item item_of(const bridge_response& given) {
    return {
        "r",
        given.ids.conversation_id,
        key_name(given.ids.conversation_id),
        given.origin,
        given.ids.request_id,
        given.ids.response_id,
        std::to_string(given.timestamp),
        message::to_text(given.ids),
        given.task,
        given.more ? "1" : "0"};
}

// A reason is kept with each message of a group, in its events and among its dead letters: the page of a proxy that
// failed is cut.
static std::string short_reason(const std::string& reason) {
    return std::string{base::beginning(reason, 1000)};
}

bridge_item item_of(const bridge_result& given) {
    bool is_reason = given.how == bridge_sending::recoverable || given.how == bridge_sending::fatal;
    return {
        "c",
        given.ids.conversation_id,
        key_name(given.ids.conversation_id),
        given.ids.request_id,
        given.ids.response_id,
        message::to_text(given.ids),
        std::to_string(given.token),
        letter_of(given.how),
        is_reason ? short_reason(given.detail) : given.detail,
        std::to_string(given.pause),
        given.origin};
}

bridge_item acknowledge_item(std::string origin, std::string name, bridge_sending how, const std::string& reason) {
    return {"k", std::move(origin), std::move(name), letter_of(how), short_reason(reason)};
}

bridge_item cancel_item(std::string conversation_id, const std::string& request_id, const std::string& reason) {
    return {"x", std::move(conversation_id), request_id, message::group_text(request_id), short_reason(reason)};
}

bridge_item meet_item(std::string conversation_id) {
    return {"m", std::move(conversation_id)};
}

bridge_item delete_item(const min_message_info& ids) {
    return {"d", message::to_text(ids)};
}

bridge_item delete_group_item(
    const std::string& request_id, std::string status, const std::vector<std::string>& except_origins,
    const std::optional<min_message_info>& spared) {
    std::string except = "\n";
    for (const auto& each : except_origins) {
        except += each + "\n";
    }
    return {
        "g",
        request_id,
        message::group_text(request_id),
        std::move(status),
        std::move(except),
        spared ? message::to_text(*spared) : ""};
}

bridge_item await_item(const min_message_info& ids, std::int64_t date, bool whole_group, const std::string& reason) {
    return {"w", message::to_text(ids), std::to_string(date), whole_group ? "1" : "0", short_reason(reason)};
}

bridge_item await_blocked_item(const min_message_info& ids, std::int64_t pause) {
    return {"w", message::to_text(ids), std::to_string(pause), "o", "blocked"};
}

bridge_item fail_item(const min_message_info& ids, const std::string& reason) {
    return {"e", message::to_text(ids), short_reason(reason)};
}

bridge_item postpone_item(const min_message_info& ids, std::int64_t token) {
    return {"u", message::to_text(ids), std::to_string(token)};
}

bridge_item forget_later_item(const min_message_info& ids, std::int64_t milliseconds) {
    return {"t", message::to_text(ids), std::to_string(milliseconds)};
}

redis::script_call bridge_call(
    bridge_verb verb, const bridge_setup& setup, const bridge_rules& rules, std::int64_t room,
    std::vector<bridge_item> items, std::vector<lease_token> leases) {
    auto given = rules_of(setup, rules, room);
    switch (verb) {
    case bridge_verb::accept:
        return call_of<bridge_accept_call>(std::move(given), std::move(items), std::move(leases));
    case bridge_verb::conclude:
        return call_of<bridge_conclude_call>(std::move(given), std::move(items), std::move(leases));
    case bridge_verb::edit:
        return call_of<bridge_edit_call>(std::move(given), std::move(items), std::move(leases));
    }
    std::abort();
}

redis::script_call make_bridge_collect(
    const bridge_setup& setup, const bridge_rules& rules, std::int64_t room, std::int64_t most) {
    return make_call(bridge_collect_call{.rules = rules_of(setup, rules, room), .most = most});
}

redis::result<bridge_outcome> read_bridge_outcome(bridge_verb verb, redis::reply answer) {
    switch (verb) {
    case bridge_verb::accept:
        return outcome_of<bridge_accept_outcome>(std::move(answer));
    case bridge_verb::conclude:
        return outcome_of<bridge_conclude_outcome>(std::move(answer));
    case bridge_verb::edit:
        return outcome_of<bridge_edit_outcome>(std::move(answer));
    }
    std::abort();
}

redis::result<bridge_outcome> read_collected(redis::reply answer) {
    return outcome_of<bridge_collect_outcome>(std::move(answer));
}

awaitable<redis::result<bridge_outcome>> run_bridge(
    redis::link& server, bridge_verb verb, const bridge_setup& setup, const bridge_rules& rules, std::int64_t room,
    std::vector<bridge_item> items, std::vector<lease_token> leases) {
    auto call = bridge_call(verb, setup, rules, room, std::move(items), std::move(leases));
    auto answer = co_await redis::run_script(server, std::move(call));
    if (!answer) {
        co_return answer.error();
    }
    co_return masked(server, read_bridge_outcome(verb, std::move(*answer)));
}

awaitable<redis::result<bridge_outcome>> collect_bridge(
    redis::link& server, const bridge_setup& setup, const bridge_rules& rules, std::int64_t room, std::int64_t most) {
    auto answer = co_await redis::run_script(server, make_bridge_collect(setup, rules, room, most));
    if (!answer) {
        co_return answer.error();
    }
    co_return masked(server, read_collected(std::move(*answer)));
}

awaitable<redis::result<bridge_conversation>> look_at_bridge(
    redis::link& server, std::string prefix, std::string conversation_id, std::int64_t most) {
    bridge_look_call call{
        .pending = bridge_keys{prefix}.pending(),
        .prefix = prefix,
        .conversation = std::move(conversation_id),
        .most = most};
    auto answer = co_await run_verb<bridge_look_outcome>(server, std::move(call));
    if (!answer) {
        co_return answer.error();
    }
    co_return conversation_of(std::move(*answer));
}

awaitable<redis::result<std::vector<bridge_event>>> read_bridge_events(
    redis::link& server, std::string prefix, std::string behind) {
    auto from = behind.empty() ? "-" : "(" + behind;
    redis::command words{"XRANGE", bridge_keys{std::move(prefix)}.events(), std::move(from), "+"};
    auto answer = co_await server.call(std::move(words));
    if (!answer) {
        co_return answer.error();
    }
    constexpr std::size_t of_event = 9; // its id; event, message, origin and reason, each with its name
    std::vector<bridge_event> made;
    auto texts = answer->texts();
    for (std::size_t at = 0; at + of_event <= texts.size(); at += of_event) {
        made.push_back(
            {std::string{texts[at]}, std::string{texts[at + 2]}, message::read_min_message_info(texts[at + 4])});
    }
    co_return made;
}

awaitable<redis::result<bridge_fields>> read_bridge_response(
    redis::link& server, std::string prefix, const std::string& response_id) {
    return read_hash(server, bridge_keys{std::move(prefix)}.response(response_id));
}

awaitable<redis::result<bridge_fields>> read_bridge_request(
    redis::link& server, std::string prefix, const std::string& request_id) {
    return read_hash(server, bridge_keys{std::move(prefix)}.request(request_id));
}

awaitable<redis::result<std::optional<min_message_info>>> read_bridge_name(
    redis::link& server, std::string prefix, std::string name) {
    redis::command words{"GET", bridge_keys{std::move(prefix)}.name(name)};
    auto answer = co_await server.call(std::move(words));
    if (!answer) {
        co_return answer.error();
    }
    co_return message::read_min_message_info(answer->text());
}

bool is_bridge_id(std::string_view id) {
    constexpr std::size_t longest = 1024;
    return !id.empty() && id.size() <= longest && base::first_bad_byte(id) == std::string_view::npos;
}

} // namespace leat::store
