#include "bridge/message_sync.hpp"

#include "base/unicode.hpp"
#include "store/keys.hpp"

#include <charconv>

namespace leat::bridge {

using store::bridge_answer;
using store::bridge_state;
using store::bridge_verb;
using kind = sync_error::kind;

namespace {

// 2^41 milliseconds, in 2039: up to there a score holds the time and the number of the reply exactly.
constexpr std::int64_t last_time = std::int64_t{1} << 41;
constexpr std::int64_t largest_group = 5000;

sync_error bad_input(std::string text) {
    return {kind::bad_input, std::move(text), {}};
}

std::optional<sync_error> check_ids(std::initializer_list<std::pair<std::string_view, std::string_view>> ids) {
    for (const auto& [what, id] : ids) {
        if (auto complaint = complain_of_id(what, id)) {
            return bad_input(std::move(*complaint));
        }
    }
    return std::nullopt;
}

std::optional<sync_error> check_time(std::string_view what, std::int64_t time) {
    if (time < 0 || time >= last_time) {
        return bad_input(
            std::string{what} + " is milliseconds since 1970, from 0 to " + std::to_string(last_time - 1) + ", not " +
            std::to_string(time));
    }
    return std::nullopt;
}

std::string_view name_of(const sync_message_options& which) {
    if (which.response_id) {
        return *which.response_id;
    }
    return which.async_response_id ? std::string_view{*which.async_response_id} : std::string_view{};
}

// The states that say that nothing was done.
std::optional<sync_error> refusal(const bridge_answer& answer) {
    switch (answer.state) {
    case bridge_state::conflict:
        return sync_error{kind::conflict, answer.detail, {}};
    case bridge_state::full:
        return sync_error{kind::full, answer.detail, {}};
    case bridge_state::group_too_large:
        return sync_error{kind::group_too_large, "GROUP_TOO_LARGE: " + answer.detail, {}};
    case bridge_state::fenced:
        return sync_error{kind::fenced, "the lease is another's or over", {}};
    case bridge_state::error:
        return sync_error{kind::redis, answer.detail, {redis::classify(answer.detail), answer.detail, false}};
    default:
        return std::nullopt;
    }
}

std::int64_t to_number(const std::string& text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

can_send_status status_of(store::bridge_head_state state) {
    using store::bridge_head_state;
    switch (state) {
    case bridge_head_state::wait_request:
        return can_send_status::wait_request;
    case bridge_head_state::wait_ack:
        return can_send_status::wait_ack;
    case bridge_head_state::wait_backoff:
        return can_send_status::wait_backoff;
    case bridge_head_state::wait_lease:
        return can_send_status::wait_lease;
    case bridge_head_state::wait_out: // of what the queue front pushes: nothing of the conversation is in the way
    case bridge_head_state::free:
        return can_send_status::can_send;
    default:
        return can_send_status::not_found;
    }
}

sync_message projected(sync_message whole, const std::set<std::string>& fields) {
    if (fields.empty()) {
        return whole;
    }
    sync_message made;
    auto keep = [&](const char* name, auto member) {
        if (fields.contains(name)) {
            made.*member = std::move(whole.*member);
        }
    };
    keep("conversationId", &sync_message::conversation_id);
    keep("origin", &sync_message::origin);
    keep("requestId", &sync_message::request_id);
    keep("taskItem", &sync_message::task_item);
    keep("requestTimestamp", &sync_message::request_timestamp);
    keep("responseId", &sync_message::response_id);
    keep("responseTimestamp", &sync_message::response_timestamp);
    keep("asyncResponseId", &sync_message::async_response_id);
    keep("status", &sync_message::status);
    keep("lastAccess", &sync_message::last_access);
    keep("sentAttempt", &sync_message::sent_attempt);
    keep("awaitedRetries", &sync_message::awaited_retries);
    keep("expiresAtTS", &sync_message::expires_at_ts);
    keep("awaitedToDateTS", &sync_message::awaited_to_date_ts);
    return made;
}

} // namespace

std::optional<std::string> complain_of_id(std::string_view what, std::string_view id) {
    if (store::is_bridge_id(id)) {
        return std::nullopt;
    }
    return std::string{what} + " must have 1 to 1024 bytes of UTF-8";
}

message_sync::result<bridge_answer> message_sync::ask(bridge_verb verb, store::bridge_item item) {
    auto answer = co_await channel_.ask(verb, std::move(item));
    if (!answer) {
        co_return sync_error{kind::redis, answer.error().text, answer.error()};
    }
    if (auto refused = refusal(*answer)) {
        co_return std::move(*refused);
    }
    co_return std::move(*answer);
}

// ---- the way of a message

message_sync::result<message_sync::registered> message_sync::create_conversation_register(request_info given) {
    note("createConversationRegister", given.corr, given.request_id);
    auto wrong = check_ids(
        {{"conversationId", given.conversation_id}, {"origin", given.origin}, {"requestId", given.request_id}});
    wrong = wrong ? wrong : check_time("requestTimestamp", given.request_timestamp);
    if (wrong) {
        co_return std::move(*wrong);
    }
    store::bridge_request request{
        std::move(given.conversation_id), std::move(given.origin), std::move(given.request_id),
        given.request_timestamp};
    auto item = store::item_of(request);
    auto answer = co_await ask(bridge_verb::accept, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return registered{answer->state == bridge_state::existing, to_number(answer->detail)};
}

sync_message message_sync::get_init_default_values(const request_info& given, std::int64_t now) const {
    sync_message made;
    made.origin = given.origin;
    made.conversation_id = given.conversation_id;
    made.request_id = given.request_id;
    made.request_timestamp = given.request_timestamp == 0 ? now : given.request_timestamp;
    made.status = message_status::waiting;
    made.expires_at_ts = (now + channel_.rules().message_ttl) / 1000;
    return made;
}

message_sync::result<message_sync::accepted> message_sync::mark_pending_conversation_register(response_info given) {
    note("markPendingConversationRegister", given.corr, given.response_id);
    auto wrong = check_ids(
        {{"conversationId", given.conversation_id},
         {"origin", given.origin},
         {"requestId", given.request_id},
         {"responseId", given.response_id}});
    wrong = wrong ? wrong : check_time("responseTimestamp", given.response_timestamp);
    if (wrong) {
        co_return std::move(*wrong);
    }
    store::bridge_response response;
    response.ids = {std::move(given.request_id), std::move(given.response_id), std::move(given.conversation_id)};
    response.origin = std::move(given.origin);
    response.timestamp = given.response_timestamp;
    response.task = std::move(given.task_item);
    response.more = given.more;
    auto item = store::item_of(response);
    auto answer = co_await ask(bridge_verb::accept, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return accepted{answer->state, std::chrono::milliseconds{answer->waits}, std::move(answer->detail)};
}

message_sync::result<bridge_state> message_sync::complete(store::bridge_result given) {
    auto wrong = check_ids(
        {{"conversationId", given.ids.conversation_id},
         {"requestId", given.ids.request_id},
         {"responseId", given.ids.response_id}});
    if (wrong) {
        co_return std::move(*wrong);
    }
    auto item = store::item_of(given);
    auto answer = co_await ask(bridge_verb::conclude, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->state;
}

message_sync::result<bridge_state> message_sync::mark_sent_conversation_register(sent_info given) {
    note("markSentConversationRegister", given.corr, given.response_id);
    store::bridge_result ended;
    ended.ids = {std::move(given.request_id), std::move(given.response_id), std::move(given.conversation_id)};
    ended.token = given.fence;
    ended.how = given.async_response_id.empty() ? store::bridge_sending::sent : store::bridge_sending::sent_async;
    if (!given.async_response_id.empty() && !store::is_bridge_id(given.async_response_id)) {
        co_return bad_input(*complain_of_id("asyncResponseId", given.async_response_id));
    }
    ended.detail = std::move(given.async_response_id);
    co_return co_await complete(std::move(ended));
}

message_sync::result<bridge_state> message_sync::acknowledge(
    std::string origin, std::string async_response_id, store::bridge_sending how, std::string reason) {
    if (auto wrong = check_ids({{"asyncResponseId", async_response_id}})) {
        co_return std::move(*wrong);
    }
    auto item = store::acknowledge_item(std::move(origin), std::move(async_response_id), how, reason);
    auto answer = co_await ask(bridge_verb::conclude, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->state;
}

message_sync::result<bool> message_sync::cancel_request(
    std::string request_id, std::string conversation_id, std::string reason) {
    if (auto wrong = check_ids({{"requestId", request_id}})) {
        co_return std::move(*wrong);
    }
    auto item = store::cancel_item(std::move(conversation_id), request_id, reason);
    auto answer = co_await ask(bridge_verb::accept, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->state == bridge_state::cancelled;
}

message_sync::result<message_sync::accepted> message_sync::meet(std::string conversation_id) {
    auto item = store::meet_item(std::move(conversation_id));
    auto answer = co_await ask(bridge_verb::conclude, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return accepted{answer->state, std::chrono::milliseconds{answer->waits}, std::move(answer->detail)};
}

void message_sync::note(std::string_view method, std::string_view corr, std::string_view id) const {
    if (channel_.log()->should_log(spdlog::level::debug)) {
        channel_.log()->debug("{} corr={} id={}", method, base::printable(corr, 200), base::printable(id, 200));
    }
}

// ---- looking

message_sync::result<store::bridge_conversation> message_sync::look(std::string conversation_id, std::int64_t most) {
    auto seen =
        co_await store::look_at_bridge(channel_.server(), channel_.setup().prefix, std::move(conversation_id), most);
    if (!seen) {
        co_return sync_error{kind::redis, seen.error().text, seen.error()};
    }
    co_return std::move(*seen);
}

message_sync::result<can_send_response> message_sync::can_send_conversation_message(
    std::string conversation_id, std::string request_id, std::string corr) {
    note("canSendConversationMessage", corr, request_id);
    auto found = co_await look(std::move(conversation_id), 0);
    if (!found) {
        co_return found.error();
    }
    can_send_response made;
    const auto& first = found->head;
    if (!first) {
        co_return made;
    }
    made.first_response_id = first->response_id;
    made.status = status_of(found->state);
    made.waits = std::chrono::milliseconds{found->waits.value_or(0)};
    if (made.status == can_send_status::can_send && first->request_id != request_id) {
        made.status = can_send_status::wait_response;
    }
    co_return made;
}

message_sync::result<std::optional<min_message_info>> message_sync::get_first_conversation_message(
    std::string conversation_id) {
    auto found = co_await look(std::move(conversation_id), 0);
    if (!found) {
        co_return found.error();
    }
    co_return std::move(found->head);
}

message_sync::result<std::optional<sync_message>> message_sync::get_conversation_message(
    sync_message_options which, std::set<std::string> projection) {
    note("getConversationMessage", which.corr, name_of(which));
    auto info = co_await resolve(std::move(which));
    if (!info) {
        co_return info.error();
    }
    if (!*info) {
        co_return std::optional<sync_message>{};
    }
    auto fields =
        co_await store::read_bridge_response(channel_.server(), channel_.setup().prefix, (*info)->response_id);
    if (!fields) {
        co_return sync_error{kind::redis, fields.error().text, fields.error()};
    }
    std::optional<sync_message> found;
    if (!fields->empty()) {
        found = projected(message_of(*fields), projection);
    }
    co_return found;
}

// Which message is meant; nothing when there is none.
message_sync::result<std::optional<min_message_info>> message_sync::resolve(sync_message_options which) {
    if (which.response_id.has_value() == which.async_response_id.has_value()) {
        co_return bad_input("either responseId or asyncResponseId must be given");
    }
    if (which.async_response_id) {
        auto found =
            co_await store::read_bridge_name(channel_.server(), channel_.setup().prefix, *which.async_response_id);
        if (!found) {
            co_return sync_error{kind::redis, found.error().text, found.error()};
        }
        co_return std::move(*found);
    }
    auto fields = co_await store::read_bridge_response(channel_.server(), channel_.setup().prefix, *which.response_id);
    if (!fields) {
        co_return sync_error{kind::redis, fields.error().text, fields.error()};
    }
    std::optional<min_message_info> info;
    if (!fields->empty()) {
        info = message_of(*fields).min_info();
    }
    co_return info;
}

message_sync::result<std::vector<min_message_info>> message_sync::group_of(min_message_info of) {
    auto found = co_await look(of.conversation_id, largest_group);
    if (!found) {
        co_return found.error();
    }
    std::vector<min_message_info> group;
    for (auto& each : found->responses) {
        if (each.request == of.request_id) {
            group.push_back({of.request_id, std::move(each.id), of.conversation_id});
        }
    }
    co_return group;
}

message_sync::result<std::optional<responses_by_request>> message_sync::get_all_siblings(
    std::string response_id_key, std::string corr) {
    note("getAllSiblings", corr, response_id_key);
    auto prefix = store::bridge_keys{channel_.setup().prefix}.response("");
    sync_message_options which;
    which.response_id = response_id_key.starts_with(prefix) ? response_id_key.substr(prefix.size()) : response_id_key;
    auto info = co_await resolve(std::move(which));
    if (!info) {
        co_return info.error();
    }
    std::optional<responses_by_request> found;
    if (!*info) {
        co_return found;
    }
    found.emplace();
    found->info = **info;
    auto group = co_await group_of(**info);
    if (!group) {
        co_return group.error();
    }
    for (auto& each : *group) {
        if (each != found->info) {
            found->siblings.push_back(std::move(each));
        }
    }
    co_return found;
}

// ---- changing by hand

message_sync::result<bool> message_sync::delete_conversation_message(sync_message_options which) {
    note("deleteConversationMessage", which.corr, name_of(which));
    auto info = co_await resolve(std::move(which));
    if (!info) {
        co_return info.error();
    }
    if (!*info) {
        co_return false;
    }
    auto item = store::delete_item(**info);
    auto answer = co_await ask(bridge_verb::edit, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->state == bridge_state::deleted;
}

message_sync::result<std::int64_t> message_sync::delete_conversation_register(
    std::vector<std::string> all_origin_except, std::optional<message_status> status, request_info which) {
    note("deleteConversationRegister", which.corr, which.request_id);
    if (auto wrong = check_ids({{"requestId", which.request_id}})) {
        co_return std::move(*wrong);
    }
    std::string state = status ? std::string{to_string(*status)} : std::string{};
    auto item = store::delete_group_item(which.request_id, std::move(state), all_origin_except, std::nullopt);
    auto answer = co_await ask(bridge_verb::edit, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return to_number(answer->detail);
}

message_sync::result<std::int64_t> message_sync::set_awaited_by_request_id(
    std::string request_id, std::int64_t awaited_to, std::string corr, std::string reason) {
    note("setAwaitedByRequestId", corr, request_id);
    auto wrong = check_ids({{"requestId", request_id}});
    wrong = wrong ? wrong : check_time("awaitedTo", awaited_to);
    if (wrong) {
        co_return std::move(*wrong);
    }
    auto fields = co_await store::read_bridge_request(channel_.server(), channel_.setup().prefix, request_id);
    if (!fields) {
        co_return sync_error{kind::redis, fields.error().text, fields.error()};
    }
    min_message_info any{request_id, "", message_of(*fields).conversation_id};
    auto group = co_await group_of(any);
    if (!group) {
        co_return group.error();
    }
    if (group->empty()) {
        co_return std::int64_t{0};
    }
    auto item = store::await_item(group->front(), awaited_to, true, reason);
    auto answer = co_await ask(bridge_verb::edit, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->state == bridge_state::awaited ? static_cast<std::int64_t>(group->size()) : 0;
}

message_sync::result<bool> message_sync::set_awaited_by_response_id(
    sync_message_options which, std::int64_t awaited_to) {
    note("setAwaitedByResponseId", which.corr, name_of(which));
    if (auto wrong = check_time("awaitedTo", awaited_to)) {
        co_return std::move(*wrong);
    }
    auto info = co_await resolve(std::move(which));
    if (!info) {
        co_return info.error();
    }
    if (!*info) {
        co_return false;
    }
    auto item = store::await_item(**info, awaited_to, false, "");
    auto answer = co_await ask(bridge_verb::edit, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->state == bridge_state::awaited;
}

message_sync::result<std::vector<store::bridge_claim>> message_sync::get_awaited_messages(
    std::int64_t messages, std::string corr) {
    note("getAwaitedMessages", corr, "");
    if (messages < 1) {
        co_return bad_input("messages must be 1 or more, not " + std::to_string(messages));
    }
    auto outcome = co_await channel_.collect(messages);
    if (!outcome) {
        co_return sync_error{kind::redis, outcome.error().text, outcome.error()};
    }
    co_return std::move(outcome->claims);
}

message_sync::result<std::int64_t> message_sync::set_error_by_id(sync_message_options which, std::string reason) {
    note("setErrorById", which.corr, name_of(which));
    auto info = co_await resolve(std::move(which));
    if (!info) {
        co_return info.error();
    }
    if (!*info) {
        co_return std::int64_t{0};
    }
    auto item = store::fail_item(**info, reason);
    auto answer = co_await ask(bridge_verb::edit, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return to_number(answer->detail);
}

message_sync::result<bool> message_sync::update_awaited_expires(
    std::string response_id, std::string corr, std::int64_t fence) {
    note("updateAwaitedExpires", corr, response_id);
    sync_message_options which;
    which.response_id = std::move(response_id);
    auto info = co_await resolve(std::move(which));
    if (!info) {
        co_return info.error();
    }
    if (!*info) {
        co_return false;
    }
    auto item = store::postpone_item(**info, fence);
    auto answer = co_await ask(bridge_verb::edit, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->state == bridge_state::postponed;
}

message_sync::result<std::int64_t> message_sync::remove_request_message(
    sync_message_options which, bool remove_owner, std::string corr) {
    note("removeRequestMessage", corr, name_of(which));
    auto info = co_await resolve(std::move(which));
    if (!info) {
        co_return info.error();
    }
    if (!*info) {
        co_return std::int64_t{0};
    }
    auto item =
        store::delete_group_item((*info)->request_id, "", {}, remove_owner ? std::optional<min_message_info>{} : *info);
    auto answer = co_await ask(bridge_verb::edit, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return to_number(answer->detail);
}

message_sync::result<std::int64_t> message_sync::remove_all_siblings(responses_by_request which, std::string corr) {
    note("removeAllSiblings", corr, which.info.response_id);
    std::int64_t gone = 0;
    for (const auto& each : which.siblings) {
        auto item = store::delete_item(each);
        auto answer = co_await ask(bridge_verb::edit, std::move(item));
        if (!answer) {
            co_return answer.error();
        }
        gone += answer->state == bridge_state::deleted ? 1 : 0;
    }
    co_return gone;
}

message_sync::result<bool> message_sync::remove_all_references_at_time(
    sync_message_options which, std::chrono::seconds delay, std::string corr) {
    note("removeAllReferencesAtTime", corr, name_of(which));
    if (delay.count() < 0) {
        co_return bad_input("delay must not be negative");
    }
    auto info = co_await resolve(std::move(which));
    if (!info) {
        co_return info.error();
    }
    if (!*info) {
        co_return false;
    }
    auto item = store::forget_later_item(**info, std::chrono::milliseconds{delay}.count());
    auto answer = co_await ask(bridge_verb::edit, std::move(item));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->state == bridge_state::postponed;
}

} // namespace leat::bridge
