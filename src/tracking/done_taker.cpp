#include "tracking/done_taker.hpp"

#include "store/scripts.hpp"

namespace leat::tracking {

done_taker::done_taker(const ledger& book, redis::server server, base::stop_signal& stop, std::chrono::seconds tick)
    : book_{book}
    , server_{std::move(server)}
    , stop_{stop}
    , done_{server_.ears(), book.done, stop, tick} {
}

boost::asio::awaitable<bool> done_taker::run() {
    while (!stop_.requested()) {
        store::complete_call call{
            .keys = book_.keys, .done = book_.done, .remember = book_.settings.message_expire, .max_count = 250};
        auto taken = co_await store::complete(server_.calls(), std::move(call));
        if (!taken) {
            if (!co_await server_.after(taken.error())) {
                co_return false;
            }
            continue;
        }
        server_.answered();
        if (taken->taken > 0) {
            last_taken_ = std::chrono::steady_clock::now();
            if (book_.waiting_for_room > 0) {
                stop_.awake().notify_all();
            }
        }
        if (taken->left == 0) {
            co_await done_.until([](std::int64_t length) { return length > 0; });
        }
    }
    co_return true;
}

} // namespace leat::tracking
