#pragma once

#include "redis/server.hpp"
#include "routing/processor_type.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>

namespace leat::routing {

// Makes a call on behalf of a message that waits; again and again while it fails, as long as the message waits: its
// deadline ends that, or `gives_up`. Nothing when it has ended.
template <class Answer>
boost::asio::awaitable<std::optional<Answer>> ask_while_waiting(
    redis::server& server, const processor_context& context, std::uint64_t number,
    std::function<boost::asio::awaitable<redis::result<Answer>>()> call, std::function<bool()> gives_up = {}) {
    std::function<bool()> waits = [&context, &gives_up, number] {
        return context.passages.find(number) != nullptr && !(gives_up && gives_up());
    };
    if (!waits()) {
        co_return std::nullopt;
    }
    auto latest = context.passages.find(number)->deadline();
    auto source = context.passages.find(number)->meta.source();
    std::function<bool()> still_waits = [&context, &waits, &source] { // after a failure
        context.counts.add("error", 1, source);
        return waits();
    };
    auto answer = co_await server.call_until_answered(std::move(call), std::move(still_waits), latest);
    if (!answer) {
        co_return std::nullopt;
    }
    co_return std::move(*answer);
}

} // namespace leat::routing
