#pragma once

#include "config/value.hpp"
#include "redis/link.hpp"
#include "store/bridge.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace leat::inspect {

// A conversation of a bridge at one moment.
struct conversation : store::bridge_conversation {
    using request = store::bridge_request_row;
    using response = store::bridge_response_row;

    std::string id;

    bool is_known() const { return all_requests > 0 || all_responses > 0 || lease; }
    // Nothing when it is not among those that were asked for.
    const response* find_response(std::string_view response_id) const;
    const request* find_request(std::string_view request_id) const;
};

// Of the bridge with this prefix: at most so many of its requests, and of its responses.
boost::asio::awaitable<conversation> look_at_conversation(
    redis::link& server, std::string prefix, std::string id, std::int64_t most);

// What the first response waits for, and until when, as a sentence for people.
std::string why_it_waits(const conversation& seen);

config::value as_value(const conversation& seen);

// How responses of the bridge with this prefix ended, behind the event with this id; empty: from the first on.
boost::asio::awaitable<std::vector<store::bridge_event>> bridge_events(
    redis::link& server, std::string prefix, std::string behind);

} // namespace leat::inspect
