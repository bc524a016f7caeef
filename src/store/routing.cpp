#include "store/routing.hpp"

#include "store/run_verb.hpp"

namespace leat::store {

boost::asio::awaitable<redis::result<scripts::limit_rate_outcome>> limit_rate(
    redis::link& server, scripts::limit_rate_call call) {
    return run_verb<scripts::limit_rate_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::claim_id_outcome>> claim_id(
    redis::link& server, scripts::claim_id_call call) {
    return run_verb<scripts::claim_id_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::collect_outcome>> collect(
    redis::link& server, scripts::collect_call call) {
    return run_verb<scripts::collect_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::sweep_answers_outcome>> sweep_answers(
    redis::link& server, scripts::sweep_answers_call call) {
    return run_verb<scripts::sweep_answers_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::tally_outcome>> tally(redis::link& server, scripts::tally_call call) {
    return run_verb<scripts::tally_outcome>(server, std::move(call));
}

} // namespace leat::store
