#include "redis/failure.hpp"
#include "store/scripts.hpp"
#include "store/transfer.hpp"
#include "support/script_case.hpp"

#include <gmock/gmock.h>

namespace leat::tests {
namespace {

using store::transfer_call;
using testing::HasSubstr;

class transfer : public testing::TestWithParam<std::string> {
protected:
    answer_of<transfer_call> call(client& as, transfer_call given) { return run_verb(as, std::move(given)); }

    // The same script, with a stand-in for `redis` between the two: it counts what is read, and fails the write that it
    // is told to fail, as a server does that runs into trouble in the middle.
    answer_of<transfer_call> call_watched(const transfer_call& given, const std::string& command, int which) {
        static const std::string stand_in = R"(
local real, seen, reads = redis, 0, 0
local redis = setmetatable({
    pcall = function(name, ...)
        if name == fail_command then
            seen = seen + 1
            if seen == fail_which then return {err = 'ERR made to fail'} end
        end
        local found = real.pcall(name, ...)
        if name == 'RPOP' then reads = reads + #found end
        real.call('SET', 'reads', reads)
        return found
    end}, {__index = real})
)";
        auto made = store::make_call(given);
        std::string text{made.what->text};
        auto first_line = text.find('\n') + 1;
        text.insert(
            first_line, "local fail_command, fail_which = '" + command + "', " + std::to_string(which) + stand_in);
        std::vector<std::string> words{"EVAL", text, std::to_string(made.keys.size())};
        words.insert(words.end(), made.keys.begin(), made.keys.end());
        words.insert(words.end(), made.arguments.begin(), made.arguments.end());
        return answer_of<transfer_call>{redis.call(words)};
    }

    static transfer_call usual(std::vector<std::string> outs) {
        return {.source = "in", .outs = std::move(outs), .max_count = 1000, .max_bytes = 1 << 20};
    }

    void push(const std::vector<std::string>& messages) {
        for (const auto& each : messages) {
            redis.call({"LPUSH", "in", each});
        }
    }

    // Newest first, as LRANGE shows a list that was filled by LPUSH.
    std::vector<std::string> list(const std::string& key) { return redis.call({"LRANGE", key, "0", "-1"}).texts(); }

    // The call fails with this text and changes nothing.
    void expect_refused(client& as, const transfer_call& given, const std::string& text) {
        auto before = redis.keyspace();
        auto refused = call(as, given);
        EXPECT_TRUE(refused.failed());
        EXPECT_THAT(refused.text, HasSubstr(text));
        EXPECT_EQ(redis.keyspace(), before);
    }

    private_server server{GetParam()};
    client redis = server.connect();
};

TEST_P(transfer, copies_to_every_out_in_order_and_empties_the_source) {
    push({"one", "two", "three"});
    auto moved = call(redis, usual({"out0", "out1"}));
    ASSERT_FALSE(moved.failed()) << moved.text;
    EXPECT_EQ(moved->moved, 3);
    EXPECT_EQ(moved->bytes, 11);
    EXPECT_EQ(moved->left, 0);
    EXPECT_GT(moved->spent, 0);
    EXPECT_LT(moved->spent, 1'000'000);
    EXPECT_EQ(list("out0"), (std::vector<std::string>{"three", "two", "one"}));
    EXPECT_EQ(list("out1"), list("out0"));
    EXPECT_EQ(redis.call({"EXISTS", "in"}).whole, 0);
}

TEST_P(transfer, an_empty_source_moves_nothing) {
    auto moved = call(redis, usual({"out0"}));
    EXPECT_EQ(moved->moved, 0);
    EXPECT_EQ(redis.call({"DBSIZE"}).whole, 0);
}

TEST_P(transfer, serves_from_1_to_100_outs) {
    for (std::size_t count = 1; count <= 100; ++count) {
        std::vector<std::string> outs;
        for (std::size_t i = 0; i < count; ++i) {
            outs.push_back("out" + std::to_string(i));
        }
        push({"a", "b"});
        ASSERT_EQ(call(redis, usual(outs))->moved, 2) << count;
        for (const auto& out : outs) {
            ASSERT_EQ(list(out), (std::vector<std::string>{"b", "a"})) << count;
        }
        redis.call({"FLUSHALL"});
    }
}

TEST_P(transfer, keeps_what_an_out_already_holds_and_its_expiry) {
    redis.call({"LPUSH", "out0", "old"});
    redis.call({"PEXPIRE", "out0", "100000"});
    push({"new"});
    call(redis, usual({"out0"}));
    EXPECT_EQ(list("out0"), (std::vector<std::string>{"new", "old"}));
    EXPECT_GT(redis.call({"PTTL", "out0"}).whole, 0);
}

TEST_P(transfer, empty_and_binary_messages_pass_unchanged) {
    const std::string binary{"\0\r\n\xff\xfe NUL\0", 10};
    push({"", binary, ""});
    EXPECT_EQ(call(redis, usual({"out0"}))->moved, 3);
    EXPECT_EQ(list("out0"), (std::vector<std::string>{"", binary, ""}));
}

TEST_P(transfer, moves_no_more_than_the_count_oldest_first) {
    push({"a", "b", "c", "d"});
    auto given = usual({"out0"});
    given.max_count = 3;
    auto moved = call(redis, given);
    EXPECT_EQ(moved->moved, 3);
    EXPECT_EQ(moved->left, 1);
    EXPECT_EQ(list("out0"), (std::vector<std::string>{"c", "b", "a"}));
    EXPECT_EQ(list("in"), (std::vector<std::string>{"d"}));
}

TEST_P(transfer, a_count_beyond_the_stack_of_lua_is_no_trouble) {
    redis.call({"EVAL", "for i = 1, 20000 do redis.call('LPUSH', KEYS[1], i) end", "1", "in"});
    auto given = usual({"out0", "out1"});
    given.max_count = 1'000'000;
    EXPECT_EQ(call(redis, given)->moved, 20000);
    auto moved = list("out1");
    ASSERT_EQ(moved.size(), 20000U);
    for (std::size_t i = 0; i < moved.size(); ++i) {
        ASSERT_EQ(moved[i], std::to_string(moved.size() - i));
    }
}

TEST_P(transfer, bytes_bound_the_batch) {
    redis.call(
        {"EVAL", "local m = string.rep('x', 1048576) for i = 1, 1000 do redis.call('LPUSH', KEYS[1], m) end", "1",
         "in"});
    auto given = usual({"out0", "out1"});
    auto moved = call(redis, given);
    EXPECT_EQ(moved->moved, 1);
    given.max_bytes = 10 << 20;
    EXPECT_EQ(call(redis, given)->moved, 10);
    EXPECT_EQ(redis.call({"LLEN", "in"}).whole, 989);
    EXPECT_EQ(redis.call({"LLEN", "out1"}).whole, 11);
}

TEST_P(transfer, large_messages_behind_small_ones_wait_for_their_own_batch) {
    push(std::vector<std::string>(200, "small"));
    push({std::string(900 << 10, 'x'), std::string(900 << 10, 'y')});
    auto given = usual({"out0"});
    EXPECT_EQ(call(redis, given)->moved, 201);
    EXPECT_EQ(call(redis, given)->moved, 1);
}

TEST_P(transfer, large_messages_behind_small_ones_are_met_a_few_at_a_time) {
    push(std::vector<std::string>(3, "small"));
    redis.call(
        {"EVAL", "local m = string.rep('x', 1048576) for i = 1, 100 do redis.call('LPUSH', KEYS[1], m) end", "1",
         "in"});
    EXPECT_EQ(call_watched(usual({"out0"}), "none", 0)->moved, 3);
    EXPECT_LE(std::stoi(redis.call({"GET", "reads"}).text), 3 + 4);
    auto given = usual({"out0"});
    given.largest = 1 << 20; // as the mover knows by then
    push(std::vector<std::string>(1, "small"));
    EXPECT_EQ(call_watched(given, "none", 0)->moved, 1);
    EXPECT_EQ(redis.call({"GET", "reads"}).text, "1");
}

TEST_P(transfer, tells_the_largest_message) {
    push({"a", "bbb", "cc"});
    EXPECT_EQ(call(redis, usual({"out0"}))->largest, 3);
}

TEST_P(transfer, a_write_that_fails_in_the_middle_is_undone) {
    push({"a", "b", "c"});
    redis.call({"PEXPIRE", "in", "100000"});
    redis.call({"LPUSH", "out0", "old"});
    redis.call({"PEXPIRE", "out0", "100000"});
    redis.call({"LPUSH", "out2", "older", "oldest"});
    redis.call({"SET", "reads", "3"}); // what the stand-in will write
    auto before = redis.keyspace();
    auto given = usual({"out0", "out1", "out2"});
    given.largest = 10; // all three at once
    struct {
        const char* command;
        int which;
        const char* key;
    } cases[]{{"LPUSH", 1, "key=out0"}, {"LPUSH", 2, "key=out1"}, {"LPUSH", 3, "key=out2"}};
    for (const auto& each : cases) {
        SCOPED_TRACE(each.key);
        auto refused = call_watched(given, each.command, each.which);
        EXPECT_TRUE(refused.failed());
        EXPECT_THAT(refused.text, HasSubstr("made to fail"));
        EXPECT_THAT(refused.text, HasSubstr(each.key));
        EXPECT_EQ(redis.keyspace(), before);
    }
}

TEST_P(transfer, a_failure_after_some_have_moved_keeps_those) {
    push({"a", "b", "c", "d"});
    auto moved = call_watched(usual({"out0", "out1"}), "LPUSH", 4); // a alone, then b and c
    ASSERT_FALSE(moved.failed()) << moved.text;
    EXPECT_EQ(moved->moved, 1);
    EXPECT_EQ(moved->left, 3);
    EXPECT_EQ(list("out0"), (std::vector<std::string>{"a"}));
    EXPECT_EQ(list("out1"), (std::vector<std::string>{"a"}));
    EXPECT_EQ(list("in"), (std::vector<std::string>{"d", "c", "b"}));
}

TEST_P(transfer, what_does_not_fit_goes_back_with_its_expiry) {
    push({"a", "b", std::string(900, 'x'), "c"});
    redis.call({"PEXPIRE", "in", "100000"});
    auto given = usual({"out0"});
    given.max_bytes = 100;
    given.largest = 1; // all four are taken at once
    EXPECT_EQ(call(redis, given)->moved, 2);
    EXPECT_EQ(list("in"), (std::vector<std::string>{"c", std::string(900, 'x')}));
    EXPECT_GT(redis.call({"PTTL", "in"}).whole, 0);
    EXPECT_EQ(call(redis, given)->moved, 1);
    EXPECT_EQ(call(redis, given)->moved, 1);
    EXPECT_EQ(list("out0"), (std::vector<std::string>{"c", std::string(900, 'x'), "b", "a"}));
}

TEST_P(transfer, a_message_of_100_megabytes_moves_alone) {
    push({std::string(100 << 20, 'x'), "after"});
    auto given = usual({"out0", "out1"});
    EXPECT_EQ(call(redis, given)->moved, 1);
    EXPECT_EQ(call(redis, given)->moved, 1);
    EXPECT_EQ(redis.call({"EVAL", "return #redis.call('LINDEX', KEYS[1], -1)", "1", "out1"}).whole, 100 << 20);
}

TEST_P(transfer, a_full_out_stops_all_and_is_named) {
    push({"a", "b", "c"});
    auto given = usual({"out0", "out1"});
    given.max_length = 2;
    EXPECT_EQ(call(redis, given)->moved, 2);
    redis.call({"RPOP", "out0"});
    auto before = redis.keyspace();
    auto stopped = call(redis, given);
    EXPECT_EQ(redis.keyspace(), before);
    EXPECT_EQ(stopped->moved, 0);
    EXPECT_EQ(stopped->left, 1);
    EXPECT_EQ(stopped->full, 2);
    EXPECT_EQ(list("out1"), (std::vector<std::string>{"b", "a"}));
}

TEST_P(transfer, shows_the_oldest_when_asked) {
    push({"a", "b", "c"});
    auto given = usual({"out0"});
    given.max_shown = 2;
    EXPECT_EQ(call(redis, given)->shown, (std::vector<std::string>{"a", "b"}));
}

TEST_P(transfer, a_wrong_type_changes_nothing_and_names_the_key) {
    push({"a", "b"});
    redis.call({"LPUSH", "out0", "old"});
    redis.call({"HSET", "out99", "field", "value"});
    redis.call({"PEXPIRE", "out99", "100000"});
    expect_refused(redis, usual({"out0", "out1", "out99"}), "key=out99");
    expect_refused(redis, usual({"out99"}), "WRONGTYPE");
    auto given = usual({"out0"});
    given.source = "out99";
    expect_refused(redis, given, "WRONGTYPE");
}

TEST_P(transfer, a_missing_right_changes_nothing) {
    push({"a", "b"});
    redis.call({"LPUSH", "out0", "old"});
    struct {
        std::vector<std::string> rules;
        std::string text;
    } cases[]{
        {{"~*", "+@all", "-lpush"}, "LPUSH"},
        {{"~*", "+@all", "-ltrim"}, "LTRIM"},
        {{"~*", "+@all", "-llen"}, "LLEN"},
        {{"~*", "+@all", "-rpop"}, "RPOP"},
        {{"~*", "+@all", "-rpush"}, "RPUSH"},
        {{"~in", "~out0", "+@all"}, "key"},
        {{"%R~in", "~out0", "~out1", "+@all"}, "key"},
    };
    for (const auto& each : cases) {
        std::vector<std::string> rule{"ACL", "SETUSER", "bob", "reset", "on", ">secret"};
        rule.insert(rule.end(), each.rules.begin(), each.rules.end());
        ASSERT_FALSE(redis.call(rule).failed());
        auto bob = server.connect();
        ASSERT_FALSE(bob.call({"AUTH", "bob", "secret"}).failed());
        SCOPED_TRACE(testing::PrintToString(each.rules));
        expect_refused(bob, usual({"out0", "out1"}), each.text);
        EXPECT_EQ(redis::classify(call(bob, usual({"out0", "out1"})).text), redis::error_class::stop);
    }
}

TEST_P(transfer, out_of_memory_changes_nothing) {
    push({"a", "b"});
    redis.call({"CONFIG", "SET", "maxmemory", "1"});
    expect_refused(redis, usual({"out0", "out1"}), "OOM");
    redis.call({"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_EQ(call(redis, usual({"out0", "out1"}))->moved, 2);
}

TEST_P(transfer, a_replica_refuses_and_changes_nothing) {
    push({"a"});
    redis.call({"REPLICAOF", "127.0.0.1", "1"});
    redis.call({"CONFIG", "SET", "replica-serve-stale-data", "yes"});
    expect_refused(redis, usual({"out0"}), "READONLY");
}

INSTANTIATE_TEST_SUITE_P(servers, transfer, testing::ValuesIn(server_flavours()), [](const auto& instance) {
    return instance.param;
});

} // namespace
} // namespace leat::tests
