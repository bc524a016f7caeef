#include "store/messages.hpp"

#include "store/run_verb.hpp"

namespace leat::store {

boost::asio::awaitable<redis::result<scripts::track_outcome>> track(redis::link& server, scripts::track_call call) {
    return run_verb<scripts::track_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::complete_outcome>> complete(
    redis::link& server, scripts::complete_call call) {
    return run_verb<scripts::complete_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::time_out_outcome>> time_out(
    redis::link& server, scripts::time_out_call call) {
    return run_verb<scripts::time_out_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::retry_outcome>> retry(redis::link& server, scripts::retry_call call) {
    return run_verb<scripts::retry_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::postpone_outcome>> postpone(
    redis::link& server, scripts::postpone_call call) {
    return run_verb<scripts::postpone_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::undo_retry_outcome>> undo_retry(
    redis::link& server, scripts::undo_retry_call call) {
    return run_verb<scripts::undo_retry_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::compact_outcome>> compact(
    redis::link& server, scripts::compact_call call) {
    return run_verb<scripts::compact_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::deliver_outcome>> deliver(
    redis::link& server, scripts::deliver_call call) {
    return run_verb<scripts::deliver_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::count_outcome>> count(redis::link& server, scripts::count_call call) {
    return run_verb<scripts::count_outcome>(server, std::move(call));
}

} // namespace leat::store
