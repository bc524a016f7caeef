#include "redis/link.hpp"
#include "store/scripts.hpp"
#include "store/transfer.hpp"
#include "support/on_loop.hpp"
#include "support/private_server.hpp"

#include <gmock/gmock.h>

#include <csignal>

namespace leat::tests {
namespace {

using boost::asio::awaitable;
using redis::error_class;
using testing::HasSubstr;

class link : public testing::TestWithParam<std::string> {
protected:
    private_server server{GetParam()};
    client redis = server.connect();
    on_loop loop;
};

awaitable<redis::result<redis::reply>> call(redis::link& one, redis::command words) {
    co_return co_await one.call(std::move(words));
}

awaitable<void> names_itself(on_loop& loop, redis::link& one, std::string& name, std::int64_t& db) {
    co_await loop.until([&one] { return one.connected(); });
    redis::command get_name{"CLIENT", "GETNAME"};
    name = (co_await call(one, std::move(get_name)))->text();
    redis::command set{"SET", "key", "value"};
    (void)co_await call(one, std::move(set));
    redis::command size{"DBSIZE"};
    db = (co_await call(one, std::move(size)))->whole();
    one.stop();
}

TEST_P(link, names_itself_and_selects_the_database) {
    redis::link_options options;
    options.client_name = "leat:mpush:orders";
    auto one = loop.link(server.url() + "?db=3", options);
    std::string name;
    std::int64_t size = 0;
    loop.run(names_itself(loop, *one, name, size));
    EXPECT_EQ(name, "leat:mpush:orders");
    EXPECT_EQ(size, 1);
    EXPECT_EQ(redis.call({"DBSIZE"}).whole, 0);
}

awaitable<void> count_up(redis::link& one, int times, std::vector<std::int64_t>& seen) {
    for (int i = 0; i < times; ++i) {
        redis::command words{"INCR", "counter"};
        auto answer = co_await one.call(std::move(words));
        seen.push_back(answer ? answer->whole() : -1);
    }
}

awaitable<void> count_with_many(on_loop& loop, redis::link& one, std::vector<std::vector<std::int64_t>>& seen) {
    co_await loop.until([&one] { return one.connected(); });
    for (auto& each : seen) {
        loop.also(count_up(one, 200, each));
    }
    co_await loop.until(
        [&seen] { return std::ranges::all_of(seen, [](const auto& each) { return each.size() == 200; }); });
    one.stop();
}

TEST_P(link, carries_the_calls_of_many_coroutines_at_once) {
    auto one = loop.link(server.url());
    std::vector<std::vector<std::int64_t>> seen(50);
    loop.run(count_with_many(loop, *one, seen));
    std::vector<std::int64_t> all;
    for (const auto& each : seen) {
        EXPECT_TRUE(std::ranges::is_sorted(each));
        all.insert(all.end(), each.begin(), each.end());
    }
    std::ranges::sort(all);
    ASSERT_EQ(all.size(), 10000U);
    EXPECT_EQ(all.front(), 1);
    EXPECT_EQ(all.back(), 10000);
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

awaitable<void> wait_for_refusal(on_loop& loop, redis::link& one) {
    co_await loop.until([&one] { return one.refused().has_value() || one.connected(); });
    one.stop();
}

TEST_P(link, a_wrong_password_is_final_and_says_so) {
    redis.call({"CONFIG", "SET", "requirepass", "right"});
    for (const auto* user : {":wrong@", ""}) {
        on_loop own;
        auto url = "unix://" + std::string{user} + server.process().socket();
        auto one = own.link(url);
        own.run(wait_for_refusal(own, *one));
        ASSERT_TRUE(one->refused().has_value()) << url;
        EXPECT_EQ(one->refused()->kind, error_class::stop);
        EXPECT_THAT(one->refused()->text, testing::AnyOf(HasSubstr("WRONGPASS"), HasSubstr("NOAUTH")));
    }
}

// As Redis quotes what it does not know; a long password is cut where 128 bytes of arguments are quoted.
TEST_P(link, a_server_that_does_not_know_hello_quotes_no_password) {
    private_server old{GetParam(), {"--rename-command", "HELLO", ""}};
    for (const auto& password : {std::string{"hunter2"}, "hunter2" + std::string(200, 'x')}) {
        old.connect().call({"ACL", "SETUSER", "bob", "on", "resetpass", ">" + password, "~*", "+@all"});
        on_loop own;
        auto one = own.link("unix://bob:" + password + "@" + old.process().socket());
        own.run(wait_for_refusal(own, *one));
        ASSERT_TRUE(one->refused().has_value());
        EXPECT_EQ(one->refused()->kind, error_class::stop);
        EXPECT_THAT(one->refused()->text, HasSubstr("'3' 'AUTH' '***' '***'"));
        EXPECT_THAT(one->refused()->text, testing::Not(HasSubstr("hunter2")));
    }
}

awaitable<void> ask(on_loop& loop, redis::link& one, redis::command words, redis::failure& told) {
    co_await loop.until([&one] { return one.refused().has_value() || one.connected(); });
    told = (co_await one.call(std::move(words))).error();
    one.stop();
}

TEST_P(link, an_error_that_quotes_user_and_password_keeps_its_class_and_loses_them) {
    redis.call({"ACL", "SETUSER", "NOPERM", "on", ">wrong", "~*", "+@all", "-lpush"});
    for (const auto& [words, kind, text] :
         {std::tuple{
              redis::command{"EVAL", "return redis.error_reply('LOADING wrong %77rong')", "0"}, error_class::retry,
              "LOADING *** ***"},
          std::tuple{redis::command{"LPUSH", "in", "one"}, error_class::stop, "has no permissions"}}) {
        on_loop own;
        auto one = own.link("unix://NOPERM:wrong@" + server.process().socket());
        redis::failure told;
        own.run(ask(own, *one, words, told));
        EXPECT_EQ(told.kind, kind);
        EXPECT_THAT(told.text, testing::AllOf(HasSubstr(text), testing::Not(HasSubstr("NOPERM"))));
    }
}

awaitable<void> ask_for_many(on_loop& loop, redis::link& one, std::string& told) {
    co_await loop.until([&one] { return one.refused().has_value() || one.connected(); });
    redis::command words{"EVAL", "return {'hunter2', redis.error_reply('ERR hunter2 is wrong')}", "0"};
    auto answer = co_await one.call(std::move(words));
    if (answer) {
        for (const auto& each : answer->nodes) {
            told += each.text + ";";
        }
    }
    one.stop();
}

TEST_P(link, an_error_within_an_answer_loses_the_password_and_values_keep_it) {
    redis.call({"CONFIG", "SET", "requirepass", "hunter2"});
    auto one = loop.link("unix://:hunter2@" + server.process().socket());
    std::string told;
    loop.run(ask_for_many(loop, *one, told));
    EXPECT_THAT(told, HasSubstr("hunter2;ERR *** is wrong;"));
}

TEST_P(link, a_server_of_a_cluster_is_refused_for_good) {
    private_server node{GetParam(), in_cluster_mode()};
    for (const auto* db : {"", "?db=3"}) {
        on_loop own;
        auto one = own.link(node.url() + db);
        own.run(wait_for_refusal(own, *one));
        ASSERT_TRUE(one->refused().has_value()) << db;
        EXPECT_EQ(one->connects(), 0U);
        EXPECT_EQ(one->refused()->kind, error_class::stop);
        EXPECT_THAT(one->refused()->text, HasSubstr("the server is part of a cluster (cluster mode is on)"));
    }
}

TEST_P(link, a_server_of_a_cluster_is_refused_whatever_the_user_may) {
    private_server node{GetParam(), in_cluster_mode()};
    node.connect().call({"ACL", "SETUSER", "bob", "on", ">pw", "+ping", "+client"});
    auto one = loop.link("unix://bob:pw@" + node.process().socket());
    loop.run(wait_for_refusal(loop, *one));
    ASSERT_TRUE(one->refused().has_value());
    EXPECT_THAT(one->refused()->text, HasSubstr("cluster mode is on"));
}

TEST_P(link, enters_with_user_and_password) {
    redis.call({"ACL", "SETUSER", "bob", "on", ">p@ss", "~*", "+@all"});
    auto one = loop.link("unix://bob:p%40ss@" + server.process().socket());
    loop.run(wait_for_refusal(loop, *one));
    EXPECT_FALSE(one->refused().has_value());
    EXPECT_EQ(one->connects(), 1U);
}

TEST_P(link, a_database_that_is_not_there_is_final) {
    auto one = loop.link(server.url() + "?db=99");
    loop.run(wait_for_refusal(loop, *one));
    ASSERT_TRUE(one->refused().has_value());
    EXPECT_THAT(one->refused()->text, HasSubstr("DB index"));
}

awaitable<void> restart(on_loop& loop, private_server& server, redis::link& one, redis::failure& down) {
    co_await loop.until([&one] { return one.connected(); });
    server.process().kill();
    co_await loop.until([&one] { return !one.connected(); });
    redis::command words{"PING"};
    down = (co_await one.call(std::move(words))).error();
    co_await loop.pause(std::chrono::milliseconds{300}); // a few refused connects
    server.process().start();
    bool back = co_await loop.until([&one] { return one.connected(); });
    EXPECT_TRUE(back);
    one.stop();
}

TEST_P(link, comes_back_after_a_restart_and_fails_at_once_while_down) {
    auto one = loop.link(server.url());
    redis::failure down;
    loop.run(restart(loop, server, *one, down));
    EXPECT_EQ(down.kind, error_class::find_server);
    EXPECT_EQ(one->connects(), 2U);
}

awaitable<void> freeze(on_loop& loop, private_server& server, redis::link& one, redis::failure& lost) {
    co_await loop.until([&one] { return one.connected(); });
    ::kill(server.process().pid(), SIGSTOP);
    redis::command words{"INCR", "counter"};
    auto answer = co_await one.call(std::move(words)); // ends although no answer comes
    if (!answer) {
        lost = answer.error();
    }
    ::kill(server.process().pid(), SIGCONT);
    bool back = co_await loop.until([&one] { return one.connected(); });
    EXPECT_TRUE(back);
    one.stop();
}

TEST_P(link, gives_up_a_silent_server_and_finds_it_again) {
    redis::link_options options;
    options.health_check = std::chrono::seconds{1};
    auto one = loop.link(server.url(), options);
    redis::failure lost;
    lost.kind = error_class::stop;
    loop.run(freeze(loop, server, *one, lost));
    EXPECT_EQ(lost.kind, error_class::find_server);
}

awaitable<void> run_script_thrice(on_loop& loop, redis::link& one, std::vector<std::int64_t>& moved) {
    co_await loop.until([&one] { return one.connected(); });
    for (int i = 0; i < 3; ++i) {
        store::transfer_call given{.source = "in", .outs = {"out"}, .max_count = 1, .max_bytes = 1000};
        auto outcome = co_await store::transfer(one, std::move(given));
        moved.push_back(outcome ? outcome->moved : -1);
    }
    one.stop();
}

TEST_P(link, loads_a_script_that_the_server_does_not_know) {
    auto one = loop.link(server.url());
    redis.call({"LPUSH", "in", "a", "b", "c"});
    redis.call({"CONFIG", "RESETSTAT"});
    std::vector<std::int64_t> moved;
    loop.run(run_script_thrice(loop, *one, moved));
    EXPECT_EQ(moved, (std::vector<std::int64_t>{1, 1, 1}));
    // Once by its text, because it was not known; the hash that was made at build time is the server's own.
    auto stats = redis.call({"INFO", "commandstats"}).text;
    EXPECT_THAT(stats, HasSubstr("cmdstat_eval:calls=1,"));
    EXPECT_THAT(stats, testing::ContainsRegex("cmdstat_evalsha:calls=3,.*failed_calls=1"));
}

awaitable<void> enter_while_loading(on_loop& loop, private_server& server, redis::link& one, bool& was_loading) {
    auto loading = [&server] {
        try {
            return server.connect().call({"PING"}).text.starts_with("LOADING");
        } catch (const std::exception&) {
            return false; // not even listening yet
        }
    };
    was_loading = co_await loop.until(loading);
    EXPECT_FALSE(one.connected());
    co_await loop.until([&one] { return one.refused().has_value() || one.connected(); });
    one.stop();
}

TEST_P(link, waits_while_the_server_loads) {
    private_server slow{GetParam(), {"--appendonly", "yes", "--key-load-delay", "300"}};
    slow.connect().call({"EVAL", "for i = 1, 6000 do redis.call('SET', 'key' .. i, string.rep('x', 100)) end", "0"});
    slow.process().stop();
    slow.process().launch();
    auto one = loop.link(slow.url());
    bool was_loading = false;
    loop.run(enter_while_loading(loop, slow, *one, was_loading));
    EXPECT_TRUE(was_loading);
    EXPECT_FALSE(one->refused().has_value());
    EXPECT_EQ(one->connects(), 1U);
}

awaitable<void> stop_at_once(redis::link& one) {
    one.stop();
    co_return;
}

TEST_P(link, stops_while_it_is_still_trying) {
    auto one = loop.link("unix:///tmp/there-is-no-such.sock");
    loop.run(stop_at_once(*one));
    EXPECT_EQ(one->connects(), 0U);
}

INSTANTIATE_TEST_SUITE_P(servers, link, testing::ValuesIn(server_flavours()), [](const auto& instance) {
    return instance.param;
});

} // namespace
} // namespace leat::tests
