#include "runtime/large_calls.hpp"

#include <chrono>

namespace leat::runtime {

boost::asio::awaitable<redis::result<redis::reply>> large_calls::call(
    redis::link& server, redis::command words, tries& known) {
    bool alone = known.was_lost && known.bytes >= large;
    while (alone && busy_) {
        co_await turn_over_.wait_for(std::chrono::seconds{1});
    }
    busy_ = busy_ || alone;
    if (alone) { // others first: it may cost them the connection
        auto due = server.connected_since() + std::chrono::milliseconds{200};
        auto now = std::chrono::steady_clock::now();
        while (server.connected() && now < due) {
            co_await server.changed().wait_for(due - now);
            now = std::chrono::steady_clock::now();
        }
    }
    auto answer = co_await server.call(std::move(words));
    if (!answer && answer.error().outcome_unknown) {
        known.was_lost = true;
        known.lost_alone += alone ? 1 : 0;
    } else if (answer || answer.error().kind != redis::error_class::find_server) {
        known.lost_alone = 0; // it was answered
    }
    if (alone) {
        busy_ = false;
        turn_over_.notify_all();
    }
    co_return answer;
}

} // namespace leat::runtime
