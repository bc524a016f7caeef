#pragma once

#include "config/value.hpp"
#include "redis/link.hpp"
#include "store/queues.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::inspect {

enum class occurrence_state : std::uint8_t {
    queued,
    in_flight,
    delayed,
    dead,
    taken, // by somebody of whom nothing is known
};
// As JSON has it.
std::string to_string(occurrence_state state);

// Where a message is looked for, and what was found.
struct occurrence {
    std::string out;
    occurrence_state state = occurrence_state::taken;
    std::string queue;       // where it was seen
    std::string holder;      // who has it in flight
    std::int64_t place = -1; // how many are before it; -1: not seen
    std::int64_t looked = 0;
    std::int64_t length = 0;
    bool reported = false; // the out has reported it done
};

// All that is known of a tracked message.
struct tracked_message {
    std::string asked;
    std::string name_space;
    store::show_message_outcome known;
    config::value plan;
    std::vector<occurrence> occurrences;
    std::optional<store::peeked_message> dead; // with its details
    std::string dead_list;
    std::int64_t dead_unseen = 0; // that were not looked at
    std::int64_t now = 0;         // the server's time

    const std::string& id() const { return known.id; }
    const std::string& xid() const { return known.xid; }
};

// As commands print it.
std::string state_name(store::message_state state);

struct lookup {
    std::string name_space; // empty: the only one that there is
    std::int64_t scan = 0;  // messages of each queue to look at
};
// `asked` is ID, or xid:X.
boost::asio::awaitable<tracked_message> look_up(redis::link& server, lookup where, std::string asked);

config::value as_value(const tracked_message& one);

} // namespace leat::inspect
