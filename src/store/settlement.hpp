#pragma once

#include "store/scripts.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leat::store {

// From so many bytes on a message may be named instead of sent, as lua/include/held_message.lua has it.
inline constexpr std::size_t large_message = 65'536;
inline bool is_large(std::string_view message) {
    return message.size() >= large_message;
}
std::string name_of_large(std::string_view message);
std::int64_t size_of_large(const std::string& name);

// What is pushed to a list, or kept under a key, when a message is acknowledged.
struct output {
    std::string to; // a list of the same server
    std::string message;
    // The list was named by a message, so it may be anything: when nothing can be pushed to it the message goes to
    // `dead`. What the settings name is waited for instead.
    bool by_message = false;
    // Seconds: nothing is pushed, but the key `to` is set to the message for so long; negative: it is deleted, if it is
    // this message.
    std::int64_t keep = 0;
};
// Then one word says what is pushed, and the message itself need not be sent.
bool pushes_only_itself(std::span<const output> pushes, std::string_view message);

// What becomes of a message in flight.
struct settled_message {
    enum class end : std::uint8_t { done, retry, bury, give_back };

    std::string_view message;
    end how = end::done;
    std::span<const output> pushes;   // not of a retry
    std::string_view reason;          // of a retry, and of what is buried
    std::string_view name;            // of the error, of what is buried
    std::int64_t delivery = 1;        // the number of it
    std::int64_t pause = 0;           // milliseconds before a retry
    bool newer = false;               // it is among the newer half of the hand
    std::optional<std::size_t> place; // in the hand, when it is known; the oldest is 0
};
// Fills what settle.lua reads of these messages. `oldest`: nothing in the hand is older, and they are in its order.
void write_settlement(const std::vector<settled_message>& messages, bool oldest, settle_call& call);

// How long what is done took, in seconds, and how many took which tenth of the time that they had.
struct settled_times {
    std::int64_t sum = 0;
    std::int64_t longest = 0;
    std::array<std::int64_t, 11> tenths{};
};
std::string to_text(const settled_times& times); // as settle.lua counts them

// Puts them into the call of the verb that writes them without a message in flight.
void write_pushes(std::span<const output> pushes, write_once_call& call);

} // namespace leat::store
