#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leat::message {

// What tells a response from all others: the ids of its request, of itself, and of its conversation.
struct min_message_info {
    std::string request_id;
    std::string response_id;
    std::string conversation_id;

    bool operator==(const min_message_info&) const = default;
};

// {"rqId":"..","rsId":"..","cnId":".."}, in this order and without spaces: what JSON.stringify writes. It is a member
// of sorted sets, so there must be one way to write it and no other. Ids are UTF-8.
std::string to_text(const min_message_info& info);
std::optional<min_message_info> read_min_message_info(std::string_view text);

// What the text of every response to the same request begins with, and of no other.
std::string group_text(std::string_view request_id);

} // namespace leat::message
