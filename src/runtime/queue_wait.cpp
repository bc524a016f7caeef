#include "runtime/queue_wait.hpp"

namespace leat::runtime {

queue_wait::queue_wait(redis::listener& listener, std::string key, base::notice& awake, std::chrono::seconds tick)
    : watch_{listener, std::move(key), awake}
    , awake_{awake}
    , tick_{tick} {
}

boost::asio::awaitable<void> queue_wait::until(std::function<bool(std::int64_t length)> enough, const bool& stopping) {
    while (!stopping) {
        auto seen = watch_.changes(); // before the read: a change that overtakes it is then not missed
        auto length = co_await watch_.length();
        if (stopping || (length && enough(*length))) {
            co_return;
        }
        if (!length) {
            co_await awake_.wait_for(std::min<std::chrono::milliseconds>(tick_, std::chrono::seconds{1}));
            co_return;
        }
        if (watch_.changes() == seen) {
            co_await awake_.wait_for(tick_);
        }
    }
}

} // namespace leat::runtime
