#include "taking/forwarder.hpp"

#include "store/scripts.hpp"

namespace leat::taking {

namespace {
constexpr std::int64_t most_forwarded = 500; // by one call
}

forwarder::forwarder(redis::server server, store::taking_keys keys, std::string source, taking_counts& counts)
    : server_{std::move(server)}
    , keys_{std::move(keys)}
    , source_{std::move(source)}
    , counts_{counts} {
}

void forwarder::due_in(std::int64_t milliseconds) {
    due_ = milliseconds >= 0 ? clock::now() + std::chrono::milliseconds{milliseconds} : clock::time_point::max();
}

boost::asio::awaitable<redis::result<std::int64_t>> forwarder::forward() {
    store::forward_call given{.keys = keys_, .source = source_, .max_count = most_forwarded};
    auto answer = co_await store::forward(server_.calls(), std::move(given));
    if (!answer) {
        not_before_ = clock::now() + std::chrono::seconds{1};
        if (server_.tolerates(answer.error())) {
            counts_.failed();
            co_return 0;
        }
        co_return answer.error();
    }
    server_.answered();
    due_in(answer->next);
    co_return answer->forwarded;
}

} // namespace leat::taking
