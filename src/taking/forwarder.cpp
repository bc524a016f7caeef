#include "taking/forwarder.hpp"

#include "store/scripts.hpp"

namespace leat::taking {

namespace {
constexpr std::int64_t most_forwarded = 500; // by one call
}

forwarder::forwarder(redis::link& server, store::taking_keys keys, std::string source)
    : server_{server}
    , keys_{std::move(keys)}
    , source_{std::move(source)} {
}

void forwarder::due_in(std::int64_t milliseconds) {
    due_ = milliseconds >= 0 ? clock::now() + std::chrono::milliseconds{milliseconds} : clock::time_point::max();
}

boost::asio::awaitable<redis::result<std::int64_t>> forwarder::forward() {
    store::forward_call given{.keys = keys_, .source = source_, .max_count = most_forwarded};
    auto answer = co_await store::forward(server_, std::move(given));
    if (!answer) {
        due_in(1000);
        co_return answer.error();
    }
    due_in(answer->next);
    co_return answer->forwarded;
}

} // namespace leat::taking
