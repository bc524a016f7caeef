#pragma once

#include "base/result.hpp"
#include "store/bridge.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace leat::bridge {

// What a message of a bridge's queues asks for: an item for Redis, and the script that takes it.
struct bridge_wish {
    enum class type : std::uint8_t { request, response, acknowledgement, cancellation, outcome };
    type is = type::request;
    store::bridge_verb verb = store::bridge_verb::accept;
    store::bridge_item item;
};

// Of `in`: {"type":"request"|"response"|"ack"|"cancel", ...}. The text of what is wrong with it when it is none.
base::result<bridge_wish> read_bridge_message(std::string_view text);
// Of `answers`:
// {"conversationId":"..","requestId":"..","responseId":"..","fence":1,"status":"sent"|"recoverable"|"fatal", ...}.
base::result<bridge_wish> read_delivery_answer(std::string_view text);

} // namespace leat::bridge
