// What becomes of a report of a worker.
#include "tracking_case.hpp"

namespace leat::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class complete_ : public tracking_case {
protected:
    void expect_counts(const hash& expected) {
        for (const auto* name :
             {"done", "done:expired", "done:duplicate", "done:unknown", "done:invalid", "message:invalid", "timeout"}) {
            auto found = expected.find(name);
            EXPECT_EQ(count_of(name), found == expected.end() ? "" : found->second) << name;
        }
    }
};

TEST_P(complete_, ends_the_message_and_counts_whole_seconds) {
    transfer("12345");
    now += 3'600; // 1459166177: 4 s later by the clock
    auto answered = complete({"1"});
    EXPECT_EQ(answered->taken, 1);
    EXPECT_EQ(metric("done"), (hash{{"count", "1"}, {"sum", "4"}, {"max", "4"}, {"histo40", "1"}}));
    expect_clean();
}

TEST_P(complete_, tenths_of_the_timeout) {
    auto given = transfer_call();
    given.timeout = 7;
    std::vector<std::pair<std::int64_t, std::string>> cases{{0, "histo0"},  {1, "histo10"},  {2, "histo20"},
                                                            {3, "histo40"}, {4, "histo50"},  {5, "histo70"},
                                                            {6, "histo80"}, {7, "histo100"}, {9, "histo100"}};
    for (const auto& [elapsed, field] : cases) {
        redis.call({"DEL", "ns:metrics:done"});
        transfer("x", given);
        now += elapsed * 1000;
        complete({redis.call({"GET", "ns:message:id"}).text});
        EXPECT_EQ(metric("done")[field], "1") << elapsed;
    }
}

TEST_P(complete_, a_clock_that_was_set_back_counts_as_no_time) {
    transfer("x");
    now -= 100'000;
    complete({"1"});
    EXPECT_EQ(metric("done"), (hash{{"count", "1"}, {"sum", "0"}, {"max", "0"}, {"histo0", "1"}}));
}

TEST_P(complete_, each_kind_of_report_is_counted_for_what_it_is) {
    transfer("a");
    transfer("b");
    complete({"1", "1", "1:out0"});
    expect_counts({{"done", "1"}, {"done:duplicate", "2"}});
    now += 10'000;
    time_out();
    complete({"2", "3", "99999999", "1"});
    expect_counts(
        {{"done", "1"}, {"done:duplicate", "3"}, {"timeout", "1"}, {"done:expired", "1"}, {"done:unknown", "2"}});
    for (const auto* each :
         {"abc", "", "-1", "0", "01", "1 ", "1.0", "1:", ":1", "other:message:1", "ids", "xid:12345",
          "12345678901234567890"}) {
        complete({each});
    }
    complete({std::string(10 << 20, '1'), std::string(10 << 20, 'x')});
    complete({});
    EXPECT_FALSE(exists("ns:message:done"));
    EXPECT_EQ(count_of("done:invalid"), "15");
    EXPECT_EQ(count_of("done"), "1");
    expect_clean();
}

TEST_P(complete_, long_after_nobody_remembers_how_it_ended) {
    transfer("a");
    complete({"1"});
    redis.call({"DEL", "ns:message:ended:0"}); // as its expiry does
    complete({"1"});
    expect_counts({{"done", "1"}, {"done:expired", "1"}});
}

TEST_P(complete_, await_first_ends_with_the_first_report) {
    transfer("a");
    complete({"1:out1"});
    complete({"1:out0"});
    expect_counts({{"done", "1"}, {"done:duplicate", "1"}});
}

TEST_P(complete_, await_all_ends_with_the_last_report) {
    auto given = transfer_call();
    given.plan = to_text(plan("all"));
    transfer("a", given);
    EXPECT_EQ(hgetall("ns:message:1").size(), 4U); // as the seed has it
    complete({"1:out1", "1:out1", "1:elsewhere"});
    expect_counts({{"done:duplicate", "1"}, {"done:unknown", "1"}});
    EXPECT_THAT(redis.call({"SMEMBERS", "ns:message:1:done"}).texts(), ElementsAre("out1"));
    EXPECT_GT(redis.call({"TTL", "ns:message:1:done"}).whole, 50);
    complete({"1:out0"});
    expect_counts({{"done", "1"}, {"done:duplicate", "1"}, {"done:unknown", "1"}});
    expect_clean();
}

TEST_P(complete_, with_await_all_a_report_that_names_no_out_speaks_for_all) {
    auto given = transfer_call();
    given.plan = to_text(plan("all"));
    transfer("a", given);
    complete({"1:out1", "1"});
    expect_counts({{"done", "1"}});
    expect_clean();
}

TEST_P(complete_, a_hash_that_was_edited_stops_nothing) {
    for (int i = 0; i < 5; ++i) {
        transfer("m" + std::to_string(i));
    }
    redis.call({"HSET", "ns:message:1", "timestamp", "yesterday"});
    redis.call({"HDEL", "ns:message:2", "timestamp"});
    redis.call({"DEL", "ns:message:3"});
    redis.call({"DEL", "ns:message:4"});
    redis.call({"SET", "ns:message:4", "text"});
    complete({"1", "2", "3", "4", "5"});
    expect_counts({{"done", "1"}, {"message:invalid", "2"}, {"done:expired", "2"}});
    EXPECT_EQ(redis.call({"GET", "ns:message:4"}).text, "text");
    now += 10'000;
    time_out();
    EXPECT_EQ(count_of("message:expired"), "1");
    EXPECT_EQ(count_of("message:invalid"), "3");
    compact();
    redis.call(
        {"DEL", "ns:message:4", "ns:message:xid:" + redis.call({"EVAL", "return redis.sha1hex('m2')", "0"}).text,
         "ns:message:xid:" + redis.call({"EVAL", "return redis.sha1hex('m3')", "0"}).text});
    expect_clean();
}

TEST_P(complete_, a_metric_that_was_edited_stops_nothing) {
    transfer("a");
    transfer("b");
    redis.call({"SET", "ns:metrics:done", "text"});
    complete({"1"});
    EXPECT_FALSE(exists("ns:message:1"));
    redis.call({"DEL", "ns:metrics:done"});
    redis.call({"HSET", "ns:metrics:done", "sum", "much", "max", "more"});
    complete({"2"});
    EXPECT_EQ(count_of("done"), "1");
    expect_clean();
}

TEST_P(complete_, a_wrong_key_is_named_and_nothing_is_taken) {
    transfer("a");
    redis.call({"SET", "ns:message:done", "text"});
    EXPECT_THAT(complete({}).text, HasSubstr("key=ns:message:done"));
    redis.call({"DEL", "ns:message:done"});
    redis.call({"DEL", "ns:message:deadlines"});
    redis.call({"SET", "ns:message:deadlines", "text"});
    EXPECT_THAT(complete({"1"}).text, HasSubstr("key=ns:message:deadlines"));
    EXPECT_THAT(list("ns:message:done"), ElementsAre("1"));
}

TEST_P(complete_, a_missing_right_takes_nothing) {
    transfer("a");
    redis.call({"LPUSH", "ns:message:done", "1"});
    for (const auto* command : {"-rpop", "-del", "-zrem", "-bitfield", "-sadd", "-lrem"}) {
        SCOPED_TRACE(command);
        redis.call({"ACL", "SETUSER", "default", "+@all", command});
        EXPECT_TRUE(complete({}).failed());
        redis.call({"ACL", "SETUSER", "default", "+@all"});
        EXPECT_THAT(list("ns:message:done"), ElementsAre("1"));
        EXPECT_TRUE(exists("ns:message:1"));
    }
}

TEST_P(complete_, in_a_full_server_too) {
    transfer("a");
    redis.call({"LPUSH", "ns:message:done", "1"});
    redis.call({"CONFIG", "SET", "maxmemory", "1"});
    complete({});
    EXPECT_EQ(count_of("done"), "1");
    EXPECT_FALSE(exists("ns:message:1"));
    redis.call({"CONFIG", "SET", "maxmemory", "0"});
}

TEST_P(complete_, of_a_long_list_ids_are_delisted_later) {
    auto given = transfer_call();
    given.capacity = 100'000;
    for (int i = 0; i < 3000; ++i) {
        redis.call({"LPUSH", "in", std::to_string(i)});
    }
    for (int i = 0; i < 3; ++i) {
        run(given);
    }
    std::vector<std::string> reports;
    for (int id = 2; id <= 401; ++id) {
        reports.push_back(std::to_string(id));
    }
    auto answered = complete(reports);
    EXPECT_EQ(answered->live, 2600);
    EXPECT_EQ(answered->stale, 400);
    EXPECT_TRUE(compact(1000)->going); // a part of it
    EXPECT_EQ(list("ns:message:ids").size(), 3000U);
    transfer("new", given); // in the middle of the pass
    complete({"1", "402"});
    EXPECT_EQ(list("ns:message:ids").size(), 3001U);
    while (compact(1000)->going) {
    }
    compact(10'000);
    auto ids = list("ns:message:ids");
    ASSERT_EQ(ids.size(), 2599U);
    EXPECT_EQ(ids.front(), "3001");
    EXPECT_EQ(ids.back(), "403");
    EXPECT_TRUE(std::ranges::is_sorted(ids, [](const auto& a, const auto& b) { return std::stoi(a) > std::stoi(b); }));
    EXPECT_FALSE(exists("ns:message:ids:kept"));
    EXPECT_FALSE(exists("ns:message:ids:seen"));
    EXPECT_EQ(redis.call({"TTL", "ns:message:ids"}).whole, -1);
}

TEST_P(complete_, compaction_trusts_only_what_is_there) {
    auto given = transfer_call();
    given.capacity = 100'000;
    given.max_count = 3000;
    for (int i = 0; i < 2900; ++i) {
        redis.call({"LPUSH", "in", std::to_string(i)});
    }
    run(given);
    redis.call({"LPUSH", "ns:message:ids", "9999", "2900", "2899"}); // one that is none, two that are there already
    EXPECT_TRUE(compact(1000)->going);
    redis.call({"DEL", "ns:message:ids:kept"});
    while (compact(1000)->going) {
    }
    EXPECT_EQ(list("ns:message:ids").size(), 2900U);
    EXPECT_EQ(redis.call({"LINDEX", "ns:message:ids", "0"}).text, "2900");
    auto before = redis.keyspace();
    EXPECT_FALSE(compact(1000)->going);
    EXPECT_TRUE(redis.keyspace() == before);
}

TEST_P(complete_, compaction_keeps_what_was_registered_without_us) {
    redis.call({"HSET", "ns:message:7", "timestamp", "1459166173", "xid", "a", "deadline", "1459166183"});
    redis.call({"RPUSH", "ns:message:ids", "8", "7", "none"});
    EXPECT_EQ(compact()->removed, 2);
    EXPECT_THAT(list("ns:message:ids"), ElementsAre("7"));
}

TEST_P(complete_, the_count_of_tracked_messages_is_right_again_when_nothing_is_left) {
    transfer("a");
    transfer("b");
    EXPECT_EQ(redis.call({"GET", "ns:message:tracked"}).text, "2");
    redis.call({"SET", "ns:message:tracked", "70"});
    complete({"1"});
    EXPECT_EQ(redis.call({"GET", "ns:message:tracked"}).text, "69");
    complete({"2"});
    EXPECT_FALSE(exists("ns:message:tracked"));
}

TEST_P(complete_, a_run_of_messages_is_one_entry_of_the_index_until_it_is_due) {
    auto given = transfer_call();
    std::vector<std::string> reports;
    for (int i = 1; i <= 300; ++i) {
        redis.call({"LPUSH", "in", std::to_string(i)});
        if (i != 7 && i != 288) {
            reports.push_back(std::to_string(i));
        }
    }
    EXPECT_EQ(run(given)->tracked, 300);
    EXPECT_THAT(redis.call({"ZRANGE", "ns:message:deadlines", "0", "-1"}).texts(), ElementsAre("1-300"));
    EXPECT_EQ(complete(reports)->live, 2);
    redis.call({"DEL", "ns:message:288"}); // as its expiry does
    now += 10'000;
    time_out();
    EXPECT_EQ(count_of("done"), "298");
    EXPECT_EQ(count_of("timeout"), "1");
    EXPECT_EQ(count_of("message:expired"), "1");
    compact();
    redis.call({"DEL", "ns:message:xid:288"});
    expect_clean();
}

TEST_P(complete_, it_is_remembered_until_the_deadline_however_short_others_remember) {
    auto given = transfer_call();
    given.timeout = 3600;
    given.expire = 7200;
    for (int i = 1; i <= 30; ++i) {
        redis.call({"LPUSH", "in", std::to_string(i)});
    }
    run(given);
    std::vector<std::string> reports;
    for (int i = 1; i <= 30; ++i) {
        reports.push_back(std::to_string(i));
    }
    complete(reports); // remembers for a minute, by its own settings
    EXPECT_GT(redis.call({"TTL", "ns:message:ended:0"}).whole, 7000);
    transfer("short");
    complete({"31"});
    EXPECT_GT(redis.call({"TTL", "ns:message:ended:0"}).whole, 7000);
    now += 3'600'000;
    time_out();
    EXPECT_EQ(count_of("message:expired"), "");
    EXPECT_LE(redis.call({"TTL", "ns:message:ended:0"}).whole, 60); // nothing is tracked any more
    expect_clean();
}

LEAT_ON_BOTH_SERVERS(complete_);

} // namespace
} // namespace leat::tests
