#pragma once

#include "redis/link.hpp"
#include "routing/processor_type.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>

namespace leat::routing {

// Makes a call on behalf of a message that waits; again and again while it fails, as long as the message waits: its
// deadline ends that, or `gives_up`. Nothing when it has ended.
template <class Answer>
boost::asio::awaitable<std::optional<Answer>> ask_while_waiting(
    redis::link& server, const surroundings& around, std::uint64_t number,
    std::function<boost::asio::awaitable<redis::result<Answer>>()> call, std::function<bool()> gives_up = {}) {
    bool told = false;
    while (around.moves.find(number) != nullptr && !(gives_up && gives_up())) {
        auto answer = co_await call();
        if (answer) {
            co_return std::move(*answer);
        }
        around.counts.add("error");
        if (!told && server.connected()) { // the link tells of losses
            told = true;
            around.log->warn(
                "waiting on behalf of a message class={} reason=\"{}\"", redis::to_string(answer.error().kind),
                answer.error().text);
        }
        co_await server.changed().wait_for(std::chrono::milliseconds{100});
    }
    co_return std::nullopt;
}

} // namespace leat::routing
