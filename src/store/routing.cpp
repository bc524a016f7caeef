#include "store/routing.hpp"

#include "store/run_verb.hpp"

namespace leat::store {

boost::asio::awaitable<redis::result<scripts::admit_outcome>> admit(redis::link& server, scripts::admit_call call) {
    return run_verb<scripts::admit_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::claim_outcome>> claim(redis::link& server, scripts::claim_call call) {
    return run_verb<scripts::claim_outcome>(server, std::move(call));
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
