#pragma once

#include "config/value.hpp"
#include "message/min_message_info.hpp"
#include "redis/link.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::inspect {

// A conversation of a bridge at one moment, as store::look_at_bridge tells it. Times are milliseconds.
struct conversation {
    struct request {
        std::string key;
        std::string id; // empty: its hash has expired, only its key is known
        std::string origin;
        std::string status;
        std::int64_t replies = 0;
        std::int64_t timestamp = 0;
        std::int64_t left = -1; // of its life; below 0: none
    };
    struct response {
        std::string id;
        std::string request;
        std::string origin;
        std::string status;
        std::string order;
        std::string async; // the name that its acknowledgement will have
        std::string reason;
        std::int64_t attempts = 0;
        std::int64_t retries = 0;
        std::int64_t left = -1;
        std::optional<std::int64_t> due; // until it is looked at again
    };
    struct lease {
        std::string owner;
        std::string response; // that it is for
        std::int64_t token = 0;
        std::int64_t left = 0;
    };

    std::string id;
    std::string key;
    std::int64_t now = 0; // the server's time, since 1970
    std::string verdict;
    std::optional<std::int64_t> waits; // how long at most
    std::optional<message::min_message_info> head;
    std::string waits_for; // key of a request
    std::optional<lease> held;
    std::vector<request> requests;   // oldest first
    std::vector<response> responses; // in order
    std::int64_t all_requests = 0;
    std::int64_t all_responses = 0;

    bool is_known() const { return all_requests > 0 || all_responses > 0 || held; }
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

} // namespace leat::inspect
