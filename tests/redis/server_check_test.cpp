#include "runtime/server_check.hpp"
#include "support/on_loop.hpp"
#include "support/private_server.hpp"

#include <gtest/gtest.h>

namespace leat::tests {
namespace {

using boost::asio::awaitable;

awaitable<void> check(redis::link& one, std::optional<redis::result<void>>& seen) {
    seen = co_await runtime::check_server(one, base::create_log("test"));
}

awaitable<void> check_before_and_after(
    on_loop& loop, redis::link& one, std::optional<redis::result<void>>& before,
    std::optional<redis::result<void>>& after) {
    co_await check(one, before); // the link begins to run after us
    co_await loop.until([&one] { return one.connected(); });
    co_await check(one, after);
    one.stop();
}

// A loop that took it for an answer would ask again at once, for ever.
TEST(server_check, fails_without_a_connection_and_passes_with_one) {
    private_server server{"redis-server"};
    on_loop loop;
    auto one = loop.link(server.url());
    std::optional<redis::result<void>> before;
    std::optional<redis::result<void>> after;
    loop.run(check_before_and_after(loop, *one, before, after));
    ASSERT_TRUE(before && after);
    EXPECT_FALSE(*before);
    EXPECT_EQ(before->error().kind, redis::error_class::find_server);
    EXPECT_TRUE(*after);
}

} // namespace
} // namespace leat::tests
