#include "redis/listener.hpp"
#include "support/on_loop.hpp"
#include "support/private_server.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace leat::tests {
namespace {

using boost::asio::awaitable;

class listener : public testing::TestWithParam<std::string> {
protected:
    redis::link_options options() {
        redis::link_options made;
        made.server = redis::parse_url(server.url()).value();
        made.client_name = "leat:listener:test";
        made.log = base::create_log("test");
        return made;
    }

    private_server server{GetParam()};
    client redis = server.connect();
    on_loop loop;
    base::notice awake{loop.executor()};
};

// What the test does to the server between the read and the wait, and how many changes that counts for.
using deed = std::function<void()>;

awaitable<void> hear(on_loop& loop, redis::listener& ears, base::notice& awake, deed act, std::uint64_t& changes) {
    loop.also(ears.run());
    co_await loop.until([&ears] { return ears.connection().connected(); });
    {
        redis::listener::watch watch{ears, "in", awake};
        (void)co_await watch.length();
        auto before = watch.changes();
        act();
        co_await loop.until([&watch, before] { return watch.changes() > before; }, std::chrono::seconds{5});
        changes = watch.changes() - before;
    }
    ears.stop();
}

TEST_P(listener, hears_a_push_by_anyone) {
    redis::listener ears{loop.executor(), options()};
    std::uint64_t changes = 0;
    loop.run(hear(loop, ears, awake, [this] { redis.call({"LPUSH", "in", "one"}); }, changes));
    EXPECT_EQ(changes, 1U);
}

TEST_P(listener, does_not_hear_of_other_keys) {
    redis::listener ears{loop.executor(), options()};
    std::uint64_t changes = 0;
    loop.run(hear(loop, ears, awake, [this] { redis.call({"LPUSH", "other", "one"}); }, changes));
    EXPECT_EQ(changes, 0U);
}

TEST_P(listener, hears_that_everything_was_flushed) {
    redis.call({"LPUSH", "in", "one"});
    redis::listener ears{loop.executor(), options()};
    std::uint64_t changes = 0;
    loop.run(hear(loop, ears, awake, [this] { redis.call({"FLUSHALL"}); }, changes));
    EXPECT_GE(changes, 1U);
}

TEST_P(listener, counts_a_reconnect_as_a_change_of_every_key) {
    redis::listener ears{loop.executor(), options()};
    std::uint64_t changes = 0;
    auto act = [this] {
        server.process().kill();
        server.process().start();
    };
    loop.run(hear(loop, ears, awake, act, changes));
    EXPECT_GE(changes, 1U);
}

awaitable<void> wait_for_end(on_loop& loop, redis::listener& ears, std::string& told) {
    loop.also(ears.run());
    co_await loop.until([&ears] { return ears.connection().ended() || ears.connection().connected(); });
    told = ears.connection().refused() ? ears.connection().refused()->text : "";
    ears.stop();
}

TEST_P(listener, refuses_a_server_of_a_cluster) {
    private_server node{GetParam(), in_cluster_mode()};
    auto there = options();
    there.server = redis::parse_url(node.url()).value();
    redis::listener ears{loop.executor(), there};
    std::string told;
    loop.run(wait_for_end(loop, ears, told));
    EXPECT_NE(told.find("cluster mode is on"), std::string::npos) << told;
}

awaitable<void> hear_many(
    on_loop& loop, redis::listener& ears, base::notice& awake, client& redis, std::size_t& heard) {
    loop.also(ears.run());
    co_await loop.until([&ears] { return ears.connection().connected(); });
    {
        std::vector<std::unique_ptr<redis::listener::watch>> watches;
        for (int i = 0; i < 2000; ++i) {
            watches.push_back(std::make_unique<redis::listener::watch>(ears, "key" + std::to_string(i), awake));
            (void)co_await watches.back()->length();
        }
        for (int i = 0; i < 2000; ++i) {
            redis.call({"LPUSH", "key" + std::to_string(i), "x"});
        }
        auto all = [&watches] {
            return std::ranges::all_of(watches, [](const auto& each) { return each->changes() > 0; });
        };
        co_await loop.until(all);
        heard = static_cast<std::size_t>(
            std::ranges::count_if(watches, [](const auto& each) { return each->changes() > 0; }));
        auto length = co_await watches.front()->length(); // still answers
        EXPECT_TRUE(length && *length == 1);
    }
    ears.stop();
}

TEST_P(listener, survives_more_pushes_at_once_than_the_library_buffers) {
    redis::listener ears{loop.executor(), options()};
    std::size_t heard = 0;
    loop.run(hear_many(loop, ears, awake, redis, heard));
    EXPECT_EQ(heard, 2000U);
}

INSTANTIATE_TEST_SUITE_P(servers, listener, testing::ValuesIn(server_flavours()), [](const auto& instance) {
    return instance.param;
});

} // namespace
} // namespace leat::tests
