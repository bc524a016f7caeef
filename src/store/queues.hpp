#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

namespace leat::store {

// For people who look after queues; what each verb does stands in its script.
boost::asio::awaitable<redis::result<look_at_queue_outcome>> look_at_queue(
    redis::link& server, std::string queue, const std::string& pending, std::vector<std::string> namespaces);
boost::asio::awaitable<redis::result<show_message_outcome>> show_message(
    redis::link& server, const std::string& name_space, std::string id, std::string xid);
boost::asio::awaitable<redis::result<retry_now_outcome>> retry_now(
    redis::link& server, const std::string& name_space, const std::string& id);

boost::asio::awaitable<redis::result<redrive_outcome>> redrive(
    redis::link& server, const std::string& dead, std::string message);

struct peeked {
    std::int64_t length = 0;
    std::int64_t largest = 0;
    std::vector<peeked_message> messages; // oldest first
};
boost::asio::awaitable<redis::result<peeked>> peek(
    redis::link& server, std::string list, std::int64_t first, std::int64_t most, std::int64_t largest = 0);

// Whether filter_queue is to do something to a message; else it is kept.
chosen_message choose(std::string_view message, bool meant);

// The report that a message is done: by the out that it came from, or (empty) by whoever had it.
std::string report_of(const std::string& id, const std::string& out);

// Puts messages at the left end of a list, all or none of them.
boost::asio::awaitable<redis::result<std::int64_t>> push(
    redis::link& server, std::string list, std::vector<std::string> messages);

} // namespace leat::store
