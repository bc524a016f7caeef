#pragma once

#include "base/result.hpp"
#include "message/min_message_info.hpp"
#include "redis/failure.hpp"
#include "store/bridge.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::bridge {

using message::min_message_info;

// The states of a message in the queue. A request is waiting until its first reply, then pending; a response is waiting
// while no instance has room for it.
enum class message_status : std::uint8_t { waiting, pending, sent, awaited, cancel };
std::string_view to_string(message_status status); // WAITING, ...
std::optional<message_status> read_message_status(std::string_view text);

// What of a task can be stored; the functions are made anew by whoever sends it. (`TaskItem`, `Message Task Model`.)
struct task_item {
    std::string task_id;        // taskId
    std::string task_group;     // taskGroup
    std::int64_t ts_input = 0;  // tsInput: when the request came, in milliseconds since 1970
    std::int64_t ts_output = 0; // tsOutput: likewise the response
    std::int64_t time_in_queue =
        0;                       // timeInQueue: milliseconds that it may stay in the memory queue; 0: MAX_PENDING_TTL
    std::string message_options; // messageOptions: JSON, as the sender understands it
    std::string corr;
};
std::string to_json(const task_item& task);
task_item read_task_item(std::string_view json); // of what is none of ours, message_options is all of it

// A message as the original knows it; what it does not have is empty or 0.
struct sync_message {
    std::string conversation_id;
    std::string origin;
    std::string request_id;
    std::string task_item; // as it was given
    std::int64_t request_timestamp = 0;
    std::string response_id;
    std::int64_t response_timestamp = 0;
    std::string async_response_id;
    message_status status = message_status::waiting;
    std::int64_t last_access = 0; // milliseconds since 1970
    std::int64_t sent_attempt = 0;
    std::int64_t awaited_retries = 0;
    std::int64_t expires_at_ts = 0;       // seconds since 1970
    std::int64_t awaited_to_date_ts = 0;  // likewise
    std::int64_t response_id_counter = 0; // of a request: replies so far

    min_message_info min_info() const { return {request_id, response_id, conversation_id}; }
};
sync_message message_of(const store::bridge_fields& fields);

// Why a method did nothing.
struct sync_error {
    enum class kind : std::uint8_t {
        redis,           // the call failed; `failed` says how, and whether it may have been done all the same
        bad_input,       // an id that is empty, too long or not UTF-8, a time out of range
        conflict,        // the id is used by another conversation or origin
        full,            // the conversation has as many as it may have
        group_too_large, // GROUP_TOO_LARGE: a request has at most 4095 replies
        fenced,          // the lease is another's or over
    };
    kind is = kind::redis;
    std::string text;
    redis::failure failed;
};
[[noreturn]] inline void throw_exception_from_error(const sync_error& held, const boost::source_location& where) {
    base::throw_exception_from_error(base::error{held.text}, where);
}
template <class T>
using sync_result = base::result<T, sync_error>;

} // namespace leat::bridge
