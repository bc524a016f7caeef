#include "store/taking.hpp"

#include "redis/digest.hpp"
#include "store/keys.hpp"
#include "store/run_verb.hpp"

#include <cstdlib>

namespace leat::store {

boost::asio::awaitable<redis::result<scripts::open_lease_outcome>> open_lease(
    redis::link& server, scripts::open_lease_call call) {
    return run_verb<scripts::open_lease_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::take_outcome>> take(redis::link& server, scripts::take_call call) {
    return run_verb<scripts::take_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::settle_outcome>> settle(redis::link& server, scripts::settle_call call) {
    return run_verb<scripts::settle_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::read_hand_outcome>> read_hand(
    redis::link& server, scripts::read_hand_call call) {
    return run_verb<scripts::read_hand_outcome>(server, std::move(call));
}

std::string name_of_large(std::string_view message) {
    return redis::sha1_hex(message) + ":" + std::to_string(message.size());
}

boost::asio::awaitable<redis::result<scripts::find_held_outcome>> find_held(
    redis::link& server, scripts::find_held_call call) {
    return run_verb<scripts::find_held_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::bury_outcome>> bury(redis::link& server, scripts::bury_call call) {
    return run_verb<scripts::bury_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::release_outcome>> release(
    redis::link& server, scripts::release_call call) {
    return run_verb<scripts::release_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::forward_outcome>> forward(
    redis::link& server, scripts::forward_call call) {
    return run_verb<scripts::forward_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::recover_outcome>> recover(
    redis::link& server, scripts::recover_call call) {
    return run_verb<scripts::recover_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<listed_takers>> list_takers(
    redis::link& server, std::string pending, std::int64_t first, std::int64_t most) {
    taking_keys keys{pending};
    scripts::list_takers_call given{.owners = keys.owners(), .pending = pending, .first = first, .max_count = most};
    auto answer = co_await run_verb<scripts::list_takers_outcome>(server, std::move(given));
    if (!answer) {
        co_return answer.error();
    }
    listed_takers found{answer->all, {}};
    constexpr std::size_t width = 8;
    auto& rows = answer->rows;
    for (std::size_t at = 0; at + width <= rows.size(); at += width) {
        auto number = [&rows, at](std::size_t offset) { return std::atoll(rows[at + offset].c_str()); };
        found.rows.push_back(
            {rows[at], number(1), number(2), rows[at + 3], rows[at + 4], rows[at + 5], rows[at + 6], number(7)});
    }
    co_return found;
}

} // namespace leat::store
