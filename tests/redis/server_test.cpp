#include "redis/server.hpp"
#include "support/on_loop.hpp"
#include "support/private_server.hpp"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

namespace leat::tests {
namespace {

using boost::asio::awaitable;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
using answered = redis::result<redis::reply>;

// A loop of leat at work with one server, and what it says in the log.
class server : public testing::Test {
public:
    explicit server(std::vector<std::string> arguments = {})
        : process{"redis", std::move(arguments)} {}

    redis::server handle(redis::listener* listening = nullptr) { return {*link, listening, log, stop, "the test"}; }
    std::size_t said(const std::string& words) const {
        std::size_t times = 0;
        for (auto at = text.str().find(words); at != std::string::npos; at = text.str().find(words, at + 1)) {
            ++times;
        }
        return times;
    }
    redis::link_options options() const {
        redis::link_options made;
        made.server = redis::parse_url(process.url()).value();
        made.client_name = "leat:listener:test";
        made.log = log;
        return made;
    }

    private_server process;
    on_loop loop;
    std::ostringstream text;
    base::log_ptr log =
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
    base::stop_signal stop{loop.executor()};
    std::unique_ptr<redis::link> link = loop.link(process.url());
    redis::listener ears{loop.executor(), options()};
};

awaitable<answered> push(redis::link& link) {
    redis::command words{"LPUSH", "list", "m"};
    co_return co_await link.call(std::move(words));
}

// Until there is an answer, or the deadline.
awaitable<answered> push_until(
    redis::server& at, clock::duration longest, std::function<bool()> wanted = [] { return true; }) {
    std::function<awaitable<answered>()> call = [&at] { return push(at.calls()); };
    co_return co_await at.call_until_answered(std::move(call), std::move(wanted), clock::now() + longest);
}

awaitable<void> fail_and_go_on(server& test, client& redis) {
    auto at = test.handle();
    co_await at.await_connection();
    for (int round = 1; round <= 2; ++round) {
        redis.call({"SET", "list", "a text"});
        for (int i = 0; i < 3; ++i) {
            auto failed = co_await push(at.calls());
            EXPECT_FALSE(failed);
            bool goes_on = co_await at.after(failed.error());
            EXPECT_TRUE(goes_on);
        }
        redis.call({"DEL", "list"});
        for (int i = 0; i < 2; ++i) {
            auto pushed = co_await push(at.calls());
            EXPECT_TRUE(pushed);
            at.answered();
        }
        EXPECT_EQ(test.said("waiting for repair, nothing is lost, the test reason=\"WRONGTYPE"), round)
            << test.text.str();
        EXPECT_EQ(test.said("going on, the test"), round) << test.text.str();
    }
    EXPECT_EQ(at.failures(), 6U);
    test.link->stop();
}

TEST_F(server, a_fault_is_logged_once_when_it_begins_and_once_when_it_ends) {
    auto redis = process.connect();
    loop.run(fail_and_go_on(*this, redis));
}

awaitable<void> only_tell(server& test) {
    auto at = test.handle();
    co_await at.await_connection();
    auto began = clock::now();
    for (const auto* text : {"WRONGTYPE a", "WRONGTYPE a", "OOM b"}) {
        at.failed({.kind = redis::classify(text), .text = text});
    }
    EXPECT_LT(clock::now() - began, 1s);
    EXPECT_EQ(test.said("waiting"), 2U) << test.text.str();
    at.answered();
    at.answered();
    EXPECT_EQ(test.said("going on"), 1U) << test.text.str();
    test.link->stop();
}

TEST_F(server, a_fault_that_nobody_waits_for_is_logged_likewise) {
    loop.run(only_tell(*this));
}

awaitable<answered> fail(bool unknown) {
    co_return redis::failure{redis::error_class::retry, "lost or refused", unknown};
}

// The first call may have been done; the others certainly were not.
awaitable<void> lose_the_first_answer(server& test) {
    auto at = test.handle();
    co_await at.await_connection();
    int calls = 0;
    std::function<awaitable<answered>()> call = [&calls] { return fail(++calls == 1); };
    std::function<bool()> wanted = [&calls] { return calls < 3; };
    auto pushed = co_await at.call_until_answered(std::move(call), std::move(wanted));
    EXPECT_EQ(calls, 3);
    EXPECT_TRUE(!pushed && pushed.error().outcome_unknown) << "nobody knows whether it was done";
    test.link->stop();
}

TEST_F(server, what_may_have_been_done_is_not_forgotten_over_later_refusals) {
    loop.run(lose_the_first_answer(*this));
}

awaitable<void> ask_a_silent_one(server& test, client& redis) {
    auto at = test.handle();
    co_await at.await_connection();
    redis.call({"CLIENT", "PAUSE", "1500"});
    auto began = clock::now();
    auto pushed = co_await at.in_time(push(at.calls()), began + 200ms);
    EXPECT_TRUE(!pushed && pushed.error().outcome_unknown);
    EXPECT_GE(clock::now() - began, 200ms);
    EXPECT_LT(clock::now() - began, 1s) << "it does not wait for the server";
    pushed = co_await push(at.calls());
    EXPECT_TRUE(pushed);
    if (pushed) {
        EXPECT_EQ(pushed->nodes.at(0).text, "2") << "the late answer of the first goes to nobody";
    }
    EXPECT_EQ(at.calls().connects(), 1U) << "the connection is kept";
    pushed = co_await at.in_time(push(at.calls()), clock::now() + 20s);
    EXPECT_TRUE(pushed);
    test.link->stop();
}

TEST_F(server, a_call_with_a_deadline_does_not_wait_for_a_silent_server) {
    auto redis = process.connect();
    loop.run(ask_a_silent_one(*this, redis));
}

awaitable<void> call_in_vain(server& test, client& redis) {
    auto at = test.handle();
    co_await at.await_connection();
    auto began = clock::now();
    auto pushed = co_await push_until(at, 300ms);
    EXPECT_FALSE(pushed);
    EXPECT_GE(clock::now() - began, 300ms) << "it has a deadline";
    EXPECT_LT(clock::now() - began, 5s);

    int tries = 0;
    std::function<bool()> wanted = [&tries] { return ++tries < 3; };
    pushed = co_await push_until(at, 20s, std::move(wanted));
    EXPECT_FALSE(pushed);
    EXPECT_EQ(tries, 3) << "as long as it is wanted";

    std::function<bool()> mended = [&redis] { return redis.call({"DEL", "list"}).whole == 1; };
    pushed = co_await push_until(at, 20s, std::move(mended));
    EXPECT_TRUE(pushed);
    EXPECT_LT(clock::now() - began, 15s);
    test.link->stop();
}

TEST_F(server, calls_until_answered_or_the_deadline_or_nobody_wants_it) {
    auto redis = process.connect();
    redis.call({"SET", "list", "a text"});
    loop.run(call_in_vain(*this, redis));
}

awaitable<void> stop_soon(server& test) {
    co_await test.loop.pause(200ms);
    test.stop.request();
}

awaitable<void> call_until_stopped(server& test) {
    auto at = test.handle();
    co_await at.await_connection();
    test.loop.also(stop_soon(test));
    auto began = clock::now();
    auto pushed = co_await push_until(at, 20s);
    EXPECT_FALSE(pushed);
    EXPECT_LT(clock::now() - began, 10s);
    test.link->stop();
}

TEST_F(server, a_call_ends_when_its_service_stops) {
    process.connect().call({"SET", "list", "a text"});
    loop.run(call_until_stopped(*this));
}

awaitable<void> demote(server& test, client& redis) {
    auto& ears = test.ears;
    test.loop.also(ears.run());
    auto at = test.handle(&ears);
    co_await test.loop.until([&] { return at.calls().connected() && ears.connection().connected(); });
    redis.call({"REPLICAOF", "127.0.0.1", "1"}); // as after a failover
    auto failed = co_await push(at.calls());
    EXPECT_FALSE(failed);
    auto before = at.calls().connects();
    auto heard = ears.connection().connects();
    bool goes_on = co_await at.after(failed.error());
    EXPECT_TRUE(goes_on);
    co_await test.loop.until([&] { return ears.connection().connects() > heard; });
    EXPECT_EQ(at.calls().connects(), before + 1) << "the name is looked up again";
    EXPECT_EQ(ears.connection().connects(), heard + 1) << "by who listens, too";
    co_await at.after(failed.error()); // another call of the connection before
    EXPECT_EQ(at.calls().connects(), before + 1) << "it has been looked up since";
    redis.call({"REPLICAOF", "NO", "ONE"});
    auto pushed = co_await push_until(at, 20s);
    EXPECT_TRUE(pushed);
    ears.stop();
    test.link->stop();
}

TEST_F(server, a_server_that_has_become_a_replica_is_looked_up_again) {
    auto redis = process.connect();
    loop.run(demote(*this, redis));
}

awaitable<void> meet(server& test) {
    co_await test.loop.until([&test] { return test.link->connected(); });
    auto& ears = test.ears;
    test.loop.also(ears.run());
    co_await test.loop.until([&ears] { return ears.connection().connected(); });
    auto at = test.handle(&ears);
    co_await at.meet();
    co_await at.await_connection();
    EXPECT_EQ(at.calls().connects(), 2U) << "it was made before the other";
    EXPECT_EQ(ears.connection().connects(), 1U);
    ears.stop();
    test.link->stop();
}

TEST_F(server, of_two_connections_that_see_different_servers_the_older_one_is_made_again) {
    loop.run(meet(*this));
}

awaitable<void> leave_an_ended_one(server& test) {
    auto at = test.handle();
    co_await at.await_connection();
    test.link->stop();
    auto began = clock::now();
    auto pushed = co_await push_until(at, 20s);
    EXPECT_FALSE(pushed);
    co_await at.await_connection();
    EXPECT_LT(clock::now() - began, 5s);
}

TEST_F(server, a_server_that_has_ended_is_left) {
    loop.run(leave_an_ended_one(*this));
}

class server_that_refuses : public server {
public:
    server_that_refuses()
        : server{{"--requirepass", "secret"}} {}
};

awaitable<void> leave_one_that_refuses(server& test) {
    auto at = test.handle();
    auto began = clock::now();
    co_await at.await_connection();
    auto pushed = co_await push_until(at, 20s);
    EXPECT_FALSE(pushed);
    bool goes_on = co_await at.after(pushed.error());
    EXPECT_FALSE(goes_on) << "nothing but a person helps";
    EXPECT_LT(clock::now() - began, 5s);
    EXPECT_EQ(test.said("Redis refuses, stopping"), 1U) << test.text.str();
    co_await at.wait_after(pushed.error());
    co_await at.wait_after(pushed.error());
    auto other = test.handle();
    co_await other.wait_after(pushed.error());
    EXPECT_EQ(test.said("Redis refuses, what goes there fails"), 1U) << test.text.str();
    at.failed(pushed.error());
    EXPECT_EQ(test.said("fails"), 1U) << "once";
}

TEST_F(server_that_refuses, is_left_with_a_word) {
    loop.run(leave_one_that_refuses(*this));
}

} // namespace
} // namespace leat::tests
