#include "runtime/queue_wait.hpp"

namespace leat::runtime {

queue_wait::queue_wait(redis::listener& listener, std::string key, base::stop_signal& stop, std::chrono::seconds tick)
    : watch_{listener, std::move(key), stop.awake()}
    , stop_{stop}
    , tick_{tick} {
}

boost::asio::awaitable<void> queue_wait::until(std::function<bool(std::int64_t length)> enough) {
    return until(std::move(enough), [] { return false; }, std::chrono::steady_clock::time_point::max());
}

boost::asio::awaitable<void> queue_wait::until(
    std::function<bool(std::int64_t length)> enough, std::function<bool()> interrupted,
    std::chrono::steady_clock::time_point latest) {
    auto look_yourself = std::min(latest, std::chrono::steady_clock::now() + tick_);
    while (!stop_.requested() && !interrupted()) {
        auto seen = watch_.changes(); // before the read: a change that overtakes it is then not missed
        auto length = co_await watch_.length();
        if (stop_.requested() || interrupted() || (length && enough(*length))) {
            co_return;
        }
        if (!length) {
            auto longest = std::min<std::chrono::steady_clock::duration>(
                {tick_, std::chrono::seconds{1}, latest - std::chrono::steady_clock::now()});
            co_await stop_.awake().wait_for(longest);
            co_return;
        }
        if (watch_.changes() == seen) {
            co_await stop_.awake().wait_for(look_yourself - std::chrono::steady_clock::now());
        }
        if (watch_.changes() != seen || std::chrono::steady_clock::now() >= look_yourself) {
            co_return;
        }
    }
}

} // namespace leat::runtime
