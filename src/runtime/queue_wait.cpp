#include "runtime/queue_wait.hpp"

namespace leat::runtime {

using clock = wait_plan::clock;

queue_wait::queue_wait(redis::listener& listener, std::string key, base::stop_signal& stop, std::chrono::seconds tick)
    : listener_{listener}
    , key_{std::move(key)}
    , watch_{listener, key_, stop.awake()}
    , reading_{std::make_shared<reading>(reading{wait_plan{tick}})}
    , stop_{stop} {
}

queue_wait::~queue_wait() {
    reading_->left = true;
}

void queue_wait::read() {
    listener_.ask_length(key_, [shared = reading_, &stop = stop_](const redis::result<std::int64_t>& length) {
        shared->plan.answered(length ? std::optional{*length} : std::nullopt, clock::now());
        if (!shared->left) {
            stop.awake().notify_all();
        }
    });
}

boost::asio::awaitable<void> queue_wait::until(std::function<bool(std::int64_t length)> enough) {
    return until(std::move(enough), [] { return false; }, clock::time_point::max());
}

boost::asio::awaitable<void> queue_wait::until(
    std::function<bool(std::int64_t length)> enough, std::function<bool()> interrupted, clock::time_point latest) {
    auto& plan = reading_->plan;
    if (plan.begin(watch_.changes(), clock::now(), latest)) {
        read();
    }
    auto sleeps = [&] {
        return plan.sleep(watch_.changes(), stop_.requested() || interrupted(), enough, clock::now());
    };
    for (auto left = sleeps(); left; left = sleeps()) {
        co_await stop_.awake().wait_for(*left);
    }
}

} // namespace leat::runtime
