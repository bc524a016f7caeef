#include "store/taking.hpp"

#include "store/run_verb.hpp"

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

} // namespace leat::store
