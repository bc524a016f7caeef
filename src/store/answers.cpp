#include "store/answers.hpp"

#include <utility>

namespace leat::store {

using boost::asio::awaitable;

namespace {

constexpr std::int64_t quiet = 10LL * 60 * 1000;       // an instance that was not heard of for so long is gone
constexpr std::int64_t forgotten = 24LL * 3600 * 1000; // after this nobody answers it any more
constexpr std::int64_t most_swept = 100;               // instances, by one call

awaitable<redis::result<std::int64_t>> number(redis::link& server, redis::command words) {
    auto answer = co_await server.call(std::move(words));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->whole();
}

} // namespace

awaitable<redis::result<take_answers_outcome>> hand_over_answers(
    redis::link& server, const answer_keys& keys, const std::string& instance, answer_portion most) {
    return take_answers(
        server, {.keys = keys,
                 .instance = instance,
                 .arrived = most.arrived,
                 .max_count = most.max_count,
                 .max_bytes = most.max_bytes,
                 .largest = most.largest});
}

awaitable<redis::result<std::int64_t>> count_answers(
    redis::link& server, const answer_keys& keys, const std::string& instance) {
    return number(server, {"LLEN", keys.list(instance)});
}

awaitable<redis::result<std::int64_t>> remove_answers(
    redis::link& server, const answer_keys& keys, const std::string& instance) {
    return number(server, {"UNLINK", keys.list(instance), keys.given(instance)});
}

awaitable<redis::result<sweep_answers_outcome>> sweep_answers_of_gone(
    redis::link& server, const answer_keys& keys, std::int64_t skip) {
    return sweep_answers(
        server, {.keys = keys, .quiet = quiet, .forgotten = forgotten, .skip = skip, .max_count = most_swept});
}

} // namespace leat::store
