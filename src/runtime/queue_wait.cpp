#include "runtime/queue_wait.hpp"

namespace leat::runtime {

queue_wait::queue_wait(redis::listener& listener, std::string key, base::stop_signal& stop, std::chrono::seconds tick)
    : listener_{listener}
    , key_{std::move(key)}
    , watch_{listener, key_, stop.awake()}
    , reading_{std::make_shared<reading>()}
    , stop_{stop}
    , tick_{tick} {
}

queue_wait::~queue_wait() {
    reading_->left = true;
}

void queue_wait::read() {
    reading_->under_way = true;
    listener_.ask_length(key_, [shared = reading_, &stop = stop_](redis::result<std::int64_t> length) {
        shared->under_way = false;
        shared->length = std::move(length);
        if (!shared->left) {
            stop.awake().notify_all();
        }
    });
}

boost::asio::awaitable<redis::result<std::int64_t>> queue_wait::length(
    const std::function<bool()>& interrupted, std::chrono::steady_clock::time_point latest) {
    if (!reading_->under_way) {   // else one is that an interrupted wait has sent; what has changed since then counts
        seen_ = watch_.changes(); // before the read: a change that overtakes it is then not missed
        read();
    }
    auto left = latest - std::chrono::steady_clock::now();
    while (reading_->under_way && !stop_.requested() && !interrupted() && left.count() > 0) {
        co_await stop_.awake().wait_for(left);
        left = latest - std::chrono::steady_clock::now();
    }
    if (reading_->under_way) {
        co_return redis::failure{redis::error_class::find_server, "no answer yet"};
    }
    co_return reading_->length;
}

boost::asio::awaitable<void> queue_wait::until(std::function<bool(std::int64_t length)> enough) {
    return until(std::move(enough), [] { return false; }, std::chrono::steady_clock::time_point::max());
}

boost::asio::awaitable<void> queue_wait::until(
    std::function<bool(std::int64_t length)> enough, std::function<bool()> interrupted,
    std::chrono::steady_clock::time_point latest) {
    auto look_yourself = std::min(latest, std::chrono::steady_clock::now() + tick_);
    auto there = co_await length(interrupted, look_yourself);
    if (!there) {
        look_yourself = std::min(look_yourself, std::chrono::steady_clock::now() + std::chrono::seconds{1});
    }
    // One read will do: the list stays registered until it changes. Who waits may have changed its mind.
    auto is_enough = [&] { return there && enough(*there); };
    auto left = look_yourself - std::chrono::steady_clock::now();
    while (!stop_.requested() && !interrupted() && !is_enough() && watch_.changes() == seen_ && left.count() > 0) {
        co_await stop_.awake().wait_for(left);
        left = look_yourself - std::chrono::steady_clock::now();
    }
}

} // namespace leat::runtime
