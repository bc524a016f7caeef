#include "store/transfer.hpp"

namespace leat::store {

batch_bounds bounds_for(std::size_t outs) {
    auto writes = static_cast<std::int64_t>(outs) + 1;
    return {.count = std::clamp<std::int64_t>(3000 / writes, 10, 1000), .bytes = (4 << 20) / writes};
}

boost::asio::awaitable<redis::result<scripts::transfer_outcome>> transfer(
    redis::link& server, scripts::transfer_call call) {
    auto answer = co_await redis::run_script(server, scripts::make_call(std::move(call)));
    if (!answer) {
        co_return answer.error();
    }
    scripts::transfer_outcome outcome;
    scripts::read_answer(*answer, outcome);
    co_return outcome;
}

} // namespace leat::store
