#include "runtime/queue_wait.hpp"
#include "support/on_loop.hpp"
#include "support/private_server.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace leat::tests {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// A wait for a message in the list `in`, and what happens 100 ms after its beginning. Bounds are wide: what is told
// apart is at once, a second, and the tick.
class queue_wait : public testing::Test {
public:
    static redis::link_options options(const std::string& url) {
        redis::link_options made;
        made.server = redis::parse_url(url).value();
        made.client_name = "leat:waiting:test";
        made.log = base::create_log("test");
        return made;
    }

    clock::duration wait(std::chrono::seconds tick, std::function<void()> happening = [] {});

    private_server server;
    client redis = server.connect();
    on_loop loop;
    redis::listener ears{loop.executor(), options(server.url())};
    base::stop_signal stop{loop.executor()};
    bool interrupted = false;
    bool hangs = false; // the server, while we wait
    std::int64_t enough = 1;
    std::optional<clock::duration> longest;
};

awaitable<void> happen(on_loop& loop, std::function<void()> what) {
    co_await loop.pause(100ms);
    what();
}

awaitable<void> wait_once(
    queue_wait& test, std::chrono::seconds tick, std::function<void()> happening, clock::duration& took) {
    test.loop.also(test.ears.run());
    co_await test.loop.until([&test] { return test.ears.connection().connected(); });
    {
        runtime::queue_wait in{test.ears, "in", test.stop, tick};
        test.loop.also(happen(test.loop, std::move(happening)));
        if (test.hangs) {
            ::kill(test.server.process().pid(), SIGSTOP);
        }
        auto began = clock::now();
        auto latest = test.longest ? began + *test.longest : clock::time_point::max();
        std::function<bool(std::int64_t)> is_enough = [&test](std::int64_t length) { return length >= test.enough; };
        std::function<bool()> interrupted = [&test] { return test.interrupted; };
        co_await in.until(std::move(is_enough), std::move(interrupted), latest);
        took = clock::now() - began;
        ::kill(test.server.process().pid(), SIGCONT);
    }
    co_await test.loop.pause(150ms); // what was to happen has
    test.ears.stop();
}

clock::duration queue_wait::wait(std::chrono::seconds tick, std::function<void()> happening) {
    clock::duration took{};
    loop.run(wait_once(*this, tick, std::move(happening), took));
    return took;
}

TEST_F(queue_wait, ends_at_once_when_a_message_is_there) {
    redis.call({"LPUSH", "in", "m"});
    EXPECT_LT(wait(25s), 10s);
}

TEST_F(queue_wait, ends_when_a_message_comes) {
    EXPECT_LT(wait(25s, [this] { redis.call({"LPUSH", "in", "m"}); }), 10s);
}

TEST_F(queue_wait, ends_with_every_change_for_who_waits_has_to_look_again) {
    enough = 5;
    EXPECT_LT(wait(25s, [this] { redis.call({"LPUSH", "in", "m"}); }), 10s);
}

TEST_F(queue_wait, goes_on_when_something_else_changes) {
    EXPECT_GE(wait(1s, [this] { redis.call({"LPUSH", "other", "m"}); }), 1s);
}

TEST_F(queue_wait, ends_after_a_tick_when_nothing_is_heard) {
    auto took = wait(1s);
    EXPECT_GE(took, 1s);
    EXPECT_LT(took, 10s);
}

TEST_F(queue_wait, ends_when_the_service_is_to_stop) {
    EXPECT_LT(wait(25s, [this] { stop.request(); }), 10s);
}

TEST_F(queue_wait, ends_when_something_else_is_to_be_done) {
    auto happening = [this] {
        interrupted = true;
        stop.awake().notify_all();
    };
    EXPECT_LT(wait(25s, happening), 10s);
}

TEST_F(queue_wait, is_not_ended_by_a_wake_for_others) {
    EXPECT_GE(wait(1s, [this] { stop.awake().notify_all(); }), 1s);
}

TEST_F(queue_wait, lasts_no_longer_than_it_may) {
    longest = 300ms;
    auto took = wait(25s);
    EXPECT_GE(took, 300ms);
    EXPECT_LT(took, 10s);
}

TEST_F(queue_wait, ends_after_a_second_when_the_length_cannot_be_read) {
    redis.call({"SET", "in", "no list"});
    auto took = wait(25s);
    EXPECT_GE(took, 900ms);
    EXPECT_LT(took, 10s);
}

TEST_F(queue_wait, ends_when_the_server_goes_away_for_what_was_in_it_may_be_another_by_now) {
    auto happening = [this] {
        server.process().kill();
        server.process().start();
    };
    EXPECT_LT(wait(25s, happening), 10s);
}

TEST_F(queue_wait, ends_after_a_tick_when_the_server_hangs) {
    hangs = true;
    auto took = wait(1s);
    EXPECT_GE(took, 1s);
    EXPECT_LT(took, 10s);
}

} // namespace
} // namespace leat::tests
