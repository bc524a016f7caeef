#pragma once

#include "redis/link.hpp"
#include "routing/engine.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>

namespace leat::routing {

// Makes a call on behalf of a message that waits; again and again while it fails, as long as the message waits: its
// deadline ends that. Nothing when it has ended.
template <class Answer>
boost::asio::awaitable<std::optional<Answer>> ask_while_waiting(
    redis::link& server, const engine& moves, std::uint64_t number,
    std::function<boost::asio::awaitable<redis::result<Answer>>()> call) {
    while (moves.find(number) != nullptr) {
        auto answer = co_await call();
        if (answer) {
            co_return std::move(*answer);
        }
        co_await server.changed().wait_for(std::chrono::milliseconds{100});
    }
    co_return std::nullopt;
}

} // namespace leat::routing
