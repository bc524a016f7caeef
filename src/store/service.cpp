#include "store/service.hpp"

#include "store/run_verb.hpp"

namespace leat::store {

boost::asio::awaitable<redis::result<scripts::register_service_outcome>> register_service(
    redis::link& server, scripts::register_service_call call) {
    return run_verb<scripts::register_service_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::renew_service_outcome>> renew_service(
    redis::link& server, scripts::renew_service_call call) {
    return run_verb<scripts::renew_service_outcome>(server, std::move(call));
}

boost::asio::awaitable<redis::result<scripts::end_service_outcome>> end_service(
    redis::link& server, scripts::end_service_call call) {
    return run_verb<scripts::end_service_outcome>(server, std::move(call));
}

} // namespace leat::store
