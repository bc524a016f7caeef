#include "store/return_pending.hpp"

#include "store/run_verb.hpp"

namespace leat::store {

boost::asio::awaitable<redis::result<return_pending_outcome>> return_pending(
    redis::link& server, std::string pending, std::string source) {
    return_pending_call given{
        .pending = std::move(pending), .source = std::move(source), .max_count = 1000, .max_bytes = 4 << 20};
    return run_verb<return_pending_outcome>(server, std::move(given));
}

boost::asio::awaitable<redis::result<std::int64_t>> count_pending(
    redis::link& server, std::string pending, std::string source) {
    return_pending_call given{
        .pending = std::move(pending), .source = std::move(source), .max_count = 0, .max_bytes = 0};
    auto answer = co_await run_verb<return_pending_outcome>(server, std::move(given));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->left;
}

} // namespace leat::store
