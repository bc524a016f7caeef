#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "store/keys.hpp"
#include "store/scripts.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace leat::store {

// The answers of workers, of which each instance has a list of its own; what the verbs do stands in their scripts.
struct answer_portion {
    std::int64_t arrived = 0; // of what was handed over last
    std::int64_t max_count = 0;
    std::int64_t max_bytes = 0;
    std::int64_t largest = 0; // of an answer with more bytes only that
};
boost::asio::awaitable<redis::result<take_answers_outcome>> hand_over_answers(
    redis::link& server, const answer_keys& keys, const std::string& instance, answer_portion most);
// How many wait; it costs next to nothing.
boost::asio::awaitable<redis::result<std::int64_t>> count_answers(
    redis::link& server, const answer_keys& keys, const std::string& instance);
// Of an instance that stops. Its row stays, so that others sweep what still comes.
boost::asio::awaitable<redis::result<std::int64_t>> remove_answers(
    redis::link& server, const answer_keys& keys, const std::string& instance);
// Of instances that were not heard of for long; `skip` those that earlier calls have swept.
boost::asio::awaitable<redis::result<sweep_answers_outcome>> sweep_answers_of_gone(
    redis::link& server, const answer_keys& keys, std::int64_t skip);

} // namespace leat::store
