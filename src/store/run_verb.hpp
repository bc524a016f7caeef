#pragma once

#include "redis/script.hpp"

#include <boost/asio/awaitable.hpp>

namespace leat::store {

template <class Outcome>
redis::result<Outcome> read_verb(redis::reply answer) {
    Outcome outcome;
    if (!read_answer(std::move(answer), outcome)) {
        return redis::failure{redis::error_class::await_repair, "the server answers what no script of leat does"};
    }
    return outcome;
}

// Makes the call of a verb and reads its answer: all that most functions of this room do.
template <class Outcome, class Call>
boost::asio::awaitable<redis::result<Outcome>> run_verb(redis::link& server, Call call) {
    auto answer = co_await redis::run_script(server, make_call(std::move(call)));
    if (!answer) {
        co_return answer.error();
    }
    co_return read_verb<Outcome>(std::move(*answer));
}

} // namespace leat::store
