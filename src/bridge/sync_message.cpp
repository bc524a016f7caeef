#include "bridge/sync_message.hpp"

#include "message/envelope.hpp"
#include "message/raw_json.hpp"

#include <array>
#include <charconv>
#include <cstdlib>

namespace leat::bridge {
namespace {

constexpr std::array<std::pair<message_status, std::string_view>, 5> status_names{{
    {message_status::waiting, "WAITING"},
    {message_status::pending, "PENDING"},
    {message_status::sent, "SENT"},
    {message_status::awaited, "AWAITED"},
    {message_status::cancel, "CANCEL"},
}};

std::string text_of(const store::bridge_fields& fields, const char* name) {
    auto found = fields.find(name);
    return found == fields.end() ? std::string{} : found->second;
}

std::int64_t number_of(const store::bridge_fields& fields, const char* name) {
    std::int64_t number = 0;
    auto text = text_of(fields, name);
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

} // namespace

std::string_view to_string(message_status status) {
    for (const auto& [each, name] : status_names) {
        if (each == status) {
            return name;
        }
    }
    std::abort();
}

std::optional<message_status> read_message_status(std::string_view text) {
    for (const auto& [each, name] : status_names) {
        if (name == text) {
            return each;
        }
    }
    return std::nullopt;
}

std::string to_json(const task_item& task) {
    std::string made = "{";
    auto add = [&made](std::string_view name, const std::string& json) {
        made += (made.size() > 1 ? ",\"" : "\"") + std::string{name} + "\":" + json;
    };
    auto add_text = [&add](std::string_view name, const std::string& text) {
        if (!text.empty()) {
            add(name, message::json_text(text));
        }
    };
    auto add_number = [&add](std::string_view name, std::int64_t number) {
        if (number != 0) {
            add(name, std::to_string(number));
        }
    };
    add_text("taskId", task.task_id);
    add_text("taskGroup", task.task_group);
    add_number("tsInput", task.ts_input);
    add_number("tsOutput", task.ts_output);
    add_number("timeInQueue", task.time_in_queue);
    add_text("corr", task.corr);
    if (!task.message_options.empty()) {
        add("messageOptions", task.message_options);
    }
    return made + "}";
}

task_item read_task_item(std::string_view json) {
    boost::system::error_code wrong;
    auto read = message::parse_json(json, wrong);
    task_item made;
    if (wrong || !read.is_object()) {
        made.message_options = json;
        return made;
    }
    auto text = [&read](std::string_view key) {
        const auto* found = read.get_object().if_contains(key);
        return found != nullptr && found->is_string() ? std::string{found->get_string()} : std::string{};
    };
    auto number = [&read](std::string_view key) {
        const auto* found = read.get_object().if_contains(key);
        return found != nullptr && found->is_int64() ? found->get_int64() : 0;
    };
    made.task_id = text("taskId");
    made.task_group = text("taskGroup");
    made.ts_input = number("tsInput");
    made.ts_output = number("tsOutput");
    made.time_in_queue = number("timeInQueue");
    made.corr = text("corr");
    made.message_options = message::raw_member(json, "messageOptions");
    return made;
}

sync_message message_of(const store::bridge_fields& fields) {
    sync_message made;
    made.conversation_id = text_of(fields, "conversationId");
    made.origin = text_of(fields, "origin");
    made.request_id = text_of(fields, "requestId");
    made.task_item = text_of(fields, "taskItem");
    made.request_timestamp = number_of(fields, "requestTimestamp");
    made.response_id = text_of(fields, "responseId");
    made.response_timestamp = number_of(fields, "responseTimestamp");
    made.async_response_id = text_of(fields, "asyncResponseId");
    made.status = read_message_status(text_of(fields, "status")).value_or(message_status::waiting);
    made.last_access = number_of(fields, "lastAccess");
    made.sent_attempt = number_of(fields, "sentAttempt");
    made.awaited_retries = number_of(fields, "awaitedRetries");
    made.expires_at_ts = number_of(fields, "expiresAtTS");
    made.awaited_to_date_ts = number_of(fields, "awaitedToDateTS");
    // The original's model and its flow have another name for it.
    const auto* counter = fields.contains("responseIdCounter") ? "responseIdCounter" : "requestIdCounter";
    made.response_id_counter = number_of(fields, counter);
    return made;
}

} // namespace leat::bridge
