#pragma once

#include "message/min_message_info.hpp"
#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "redis/script.hpp"
#include "store/lease_token.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::store {

// The times of a bridge, in milliseconds, and its bounds.
struct bridge_rules {
    std::int64_t message_ttl = 10'000;
    std::int64_t awaited_ttl = 900'000;
    std::int64_t pending_ttl = 30'000; // also the length of a lease
    std::int64_t margin = 5'000;
    std::int64_t sent_ttl = 5'000;
    std::int64_t dedup_ttl = 60'000;
    std::int64_t keep_ttl = 604'800'000; // keys that nobody has ended
    std::int64_t retry_base = 30'000;
    std::int64_t capacity = 1'000;    // requests, and responses, of a conversation
    std::int64_t max_attempts = 0;    // sends of a response; 0: no limit
    std::int64_t max_retries = 100;   // of pushing to a list that takes nothing, before it waits for longer
    std::int64_t retries_end = 5'000; // ... so long
    std::int64_t events_max = 10'000; // 0: none is told
};

// Where a bridge lives, and who calls.
struct bridge_setup {
    std::string prefix = "bridge:queue:";
    std::string owner;        // letters and digits
    std::string out;          // claimed responses are pushed to OUT:ORIGIN; empty: they are handed over
    std::string dead;         // list for what is given up; empty: none
    std::string source = {};  // list that responses come from, which the details of what is given up name; empty: none
    std::string answers = {}; // list that outcomes come from; empty: none
    // Prefixes of the hands of those who take from them.
    std::string source_hands = {};
    std::string answers_hands = {};
};

// What became of an item, or what a response waits for. include/bridge_*.lua say when each is answered.
enum class bridge_state : std::uint8_t {
    registered,
    existing,
    claimed,
    ready, // it could go, but there is no room
    idle,
    wait_request,
    wait_response,
    wait_ack,
    wait_backoff,
    wait_lease,
    wait_out,   // the list of its origin cannot be pushed to
    wait_drain, // nobody has served for a while: what waits in the queues is dealt with first
    delivered,
    sent,
    awaited,
    cancelled,
    deleted,
    postponed,
    early,
    late,
    duplicate,
    conflict,
    full,
    group_too_large,
    fenced,
    again, // nothing was done of it: the call had done enough
    gone,
    not_found,
    error,
};
std::string_view to_string(bridge_state state);
bridge_state read_bridge_state(std::string_view text); // error when it is none

// One thing to be done. Ids must be UTF-8 and not empty; `is_bridge_id` tells.
using bridge_item = std::vector<std::string>;

struct bridge_request {
    std::string conversation_id;
    std::string origin;
    std::string request_id;
    std::int64_t timestamp = 0; // milliseconds since 1970; 0: the server's time
};
struct bridge_response {
    message::min_message_info ids;
    std::string origin;
    std::int64_t timestamp = 0; // likewise
    std::string task;           // for a front that pushes: a JSON object, whose members go into the delivery
    bool more = false;          // further replies to this request are announced
};
// How a send ended.
enum class bridge_sending : std::uint8_t {
    sent,        // taken by the client, nothing more is to come
    sent_async,  // ... which will acknowledge it under a name
    recoverable, // to be tried again
    fatal,       // never
};
struct bridge_result {
    message::min_message_info ids;
    std::int64_t token = 0;
    bridge_sending how = bridge_sending::sent;
    std::string detail;     // the name, or the reason
    std::int64_t pause = 0; // milliseconds before the next try, at least
    std::string origin;     // when it is known
};

bridge_item item_of(const bridge_request& given);
bridge_item item_of(const bridge_response& given);
bridge_item item_of(const bridge_result& given);
// `how` is not sent_async.
bridge_item acknowledge_item(std::string origin, std::string name, bridge_sending how, const std::string& reason);
bridge_item cancel_item(std::string conversation_id, const std::string& request_id, const std::string& reason);
bridge_item meet_item(std::string conversation_id);
bridge_item delete_item(const message::min_message_info& ids);
bridge_item delete_group_item(
    const std::string& request_id, std::string status, const std::vector<std::string>& except_origins,
    const std::optional<message::min_message_info>& spared);
bridge_item await_item(
    const message::min_message_info& ids, std::int64_t date, bool whole_group, const std::string& reason);
// It did not fail, but was blocked for too long.
bridge_item await_blocked_item(const message::min_message_info& ids, std::int64_t pause);
bridge_item fail_item(const message::min_message_info& ids, const std::string& reason);
bridge_item postpone_item(const message::min_message_info& ids, std::int64_t token);
bridge_item forget_later_item(const message::min_message_info& ids, std::int64_t milliseconds);

struct bridge_answer {
    bridge_state state = bridge_state::error;
    std::int64_t waits = 0; // milliseconds, at most
    std::string detail;
};
// A response that is the caller's to send, until its lease ends.
struct bridge_claim {
    message::min_message_info ids;
    std::int64_t token = 0;
    std::int64_t timestamp = 0; // of the request: the order is by it, then by the number
    std::int64_t number = 0;
    std::int64_t attempt = 0;
    std::string origin;
    std::string task;
};
struct bridge_outcome {
    std::int64_t claimed = 0; // also of what was pushed and not handed over
    std::int64_t ready = 0;
    std::int64_t due = -1;              // milliseconds until the next look is due; -1: none
    std::int64_t seen = 0;              // by a collection: how many were due
    std::vector<bridge_answer> answers; // one for each item
    std::vector<bridge_claim> claims;
    std::string refused; // why a list of an origin could not be pushed to
};

// Which script runs the items: what brings new messages is refused by a full Redis, what ends them never.
enum class bridge_verb : std::uint8_t { accept, conclude, edit };
// With `leases` the call does nothing when one of them is gone.
redis::script_call bridge_call(
    bridge_verb verb, const bridge_setup& setup, const bridge_rules& rules, std::int64_t room,
    std::vector<bridge_item> items, std::vector<lease_token> leases = {});
redis::script_call make_bridge_collect(
    const bridge_setup& setup, const bridge_rules& rules, std::int64_t room, std::int64_t most);
// What these calls have answered.
redis::result<bridge_outcome> read_bridge_outcome(bridge_verb verb, redis::reply answer);
redis::result<bridge_outcome> read_collected(redis::reply answer);

boost::asio::awaitable<redis::result<bridge_outcome>> run_bridge(
    redis::link& server, bridge_verb verb, const bridge_setup& setup, const bridge_rules& rules, std::int64_t room,
    std::vector<bridge_item> items, std::vector<lease_token> leases);
// Looks after what is due, at most so many.
boost::asio::awaitable<redis::result<bridge_outcome>> collect_bridge(
    redis::link& server, const bridge_setup& setup, const bridge_rules& rules, std::int64_t room, std::int64_t most);

// A conversation at one moment. Times are milliseconds.
struct bridge_conversation {
    std::string key;
    std::int64_t now = 0; // the server's time, since 1970
    bridge_head_state state = bridge_head_state::idle;
    std::optional<std::int64_t> waits;             // how long at most
    std::optional<message::min_message_info> head; // the first response
    std::string waits_for_key;                     // of the request in the way
    std::string waits_for;                         // its id
    std::optional<bridge_lease_row> lease;         // of whom it is
    std::vector<bridge_request_row> requests;      // oldest first
    std::vector<bridge_response_row> responses;    // in order
    std::int64_t all_requests = 0;
    std::int64_t all_responses = 0;
};
// With at most so many of its requests, and of its responses. Changes nothing.
boost::asio::awaitable<redis::result<bridge_conversation>> look_at_bridge(
    redis::link& server, std::string prefix, std::string conversation_id, std::int64_t most);

// How a response ended, as the stream of a bridge has it.
struct bridge_event {
    std::string id; // in the stream
    std::string event;
    std::optional<message::min_message_info> response;
};
// Those behind the one with this id; empty: from the first on.
boost::asio::awaitable<redis::result<std::vector<bridge_event>>> read_bridge_events(
    redis::link& server, std::string prefix, std::string behind);

using bridge_fields = std::map<std::string, std::string>;
boost::asio::awaitable<redis::result<bridge_fields>> read_bridge_response(
    redis::link& server, std::string prefix, const std::string& response_id);
boost::asio::awaitable<redis::result<bridge_fields>> read_bridge_request(
    redis::link& server, std::string prefix, const std::string& request_id);
// Of the response that was sent under this name.
boost::asio::awaitable<redis::result<std::optional<message::min_message_info>>> read_bridge_name(
    redis::link& server, std::string prefix, std::string name);

// UTF-8, 1 to 1024 bytes.
bool is_bridge_id(std::string_view id);

} // namespace leat::store
