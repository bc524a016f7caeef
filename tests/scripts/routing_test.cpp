#include "scripts/taking_case.hpp"
#include "store/routing.hpp"

namespace leat::tests {
namespace {

class routing : public taking_case {
protected:
    bool admit(std::int64_t limit, std::int64_t period, std::int64_t burst) {
        return run(store::scripts::admit_call{.counter = "limit", .limit = limit, .period = period, .burst = burst})
                   .items.at(0)
                   .whole == 1;
    }
    answer collect(bool arrived, std::int64_t count = 10, std::int64_t bytes = 1000) {
        return run(store::scripts::collect_call{
            .answers = "a:i",
            .given = "a:i:given",
            .instances = "a:instances",
            .instance = "i",
            .arrived = arrived ? 1 : 0,
            .max_count = count,
            .max_bytes = bytes});
    }
    std::int64_t claim(bool again, const std::string& token = "t") {
        return run(store::scripts::claim_call{.mark = "seen:1", .token = token, .again = again ? 1 : 0, .seconds = 60})
            .items.at(0)
            .whole;
    }
};

TEST_P(routing, a_shared_window) {
    EXPECT_TRUE(admit(2, 60'000, 0));
    EXPECT_TRUE(admit(2, 60'000, 0));
    EXPECT_FALSE(admit(2, 60'000, 0));
    EXPECT_GT(redis.call({"PTTL", "limit"}).whole, 50'000);
    redis.call({"DEL", "limit"}); // as its expiry would
    EXPECT_TRUE(admit(2, 60'000, 0));
    redis.call({"DEL", "limit"});
    EXPECT_TRUE(admit(1, 0, 0)); // without an end
    EXPECT_FALSE(admit(1, 0, 0));
    EXPECT_EQ(redis.call({"PTTL", "limit"}).whole, -1);
}

TEST_P(routing, a_shared_bucket) {
    EXPECT_TRUE(admit(10, 1000, 2));
    EXPECT_TRUE(admit(10, 1000, 2));
    EXPECT_FALSE(admit(10, 1000, 2));
    now += 99;
    EXPECT_FALSE(admit(10, 1000, 2));
    now += 2;
    EXPECT_TRUE(admit(10, 1000, 2));
    EXPECT_FALSE(admit(10, 1000, 2));
    now -= 60'000; // a clock that was set back gives nothing and takes nothing
    EXPECT_FALSE(admit(10, 1000, 2));
    now += 3'600'000;
    EXPECT_TRUE(admit(10, 1000, 2));
    EXPECT_TRUE(admit(10, 1000, 2));
    EXPECT_FALSE(admit(10, 1000, 2));
    EXPECT_GT(redis.call({"PTTL", "limit"}).whole, 0);
}

TEST_P(routing, a_limit_of_the_wrong_type_changes_nothing) {
    redis.call({"LPUSH", "limit", "x"});
    auto before = redis.keyspace();
    for (std::int64_t burst : {0, 5}) {
        store::scripts::admit_call call{.counter = "limit", .limit = 1, .period = 1000, .burst = burst};
        EXPECT_TRUE(run(call).failed());
    }
    EXPECT_EQ(redis.keyspace(), before);
}

TEST_P(routing, answers_are_handed_over_until_they_have_arrived) {
    redis.call({"LPUSH", "a:i", "1", "2", "3"});
    EXPECT_EQ(collect(true, 2).items.at(1).texts(), (texts{"1", "2"}));
    EXPECT_EQ(collect(false, 2).items.at(1).texts(), (texts{"1", "2"})); // its answer was lost
    auto next = collect(true, 2);
    EXPECT_EQ(next.items.at(0).whole, 0);
    EXPECT_EQ(next.items.at(1).texts(), (texts{"3"}));
    EXPECT_TRUE(collect(true).items.at(1).texts().empty());
    EXPECT_EQ(redis.call({"EXISTS", "a:i", "a:i:given"}).whole, 0);
    EXPECT_EQ(redis.call({"ZSCORE", "a:instances", "i"}).text, std::to_string(now));
}

TEST_P(routing, answers_are_bounded_by_their_size) {
    std::string large(800, 'x');
    redis.call({"LPUSH", "a:i", large, large, large});
    EXPECT_EQ(collect(true).items.at(1).items.size(), 2U);
    EXPECT_EQ(collect(true).items.at(1).items.size(), 1U);
}

TEST_P(routing, a_list_of_answers_that_is_none_changes_nothing) {
    redis.call({"SET", "a:i", "text"});
    auto before = redis.keyspace();
    EXPECT_THAT(collect(true).text, testing::HasSubstr("WRONGTYPE"));
    EXPECT_EQ(redis.keyspace(), before);
}

TEST_P(routing, what_the_dead_would_have_heard_is_swept) {
    redis.call({"ZADD", "a:instances", std::to_string(now - 700'000), "gone", std::to_string(now - 100), "here"});
    redis.call({"ZADD", "a:instances", std::to_string(now - 90'000'000), "forgotten"});
    for (const auto* each : {"a:gone", "a:gone:given", "a:here", "a:forgotten"}) {
        redis.call({"LPUSH", each, "x"});
    }
    store::scripts::sweep_answers_call call{
        .instances = "a:instances", .answers = "a:", .quiet = 600'000, .forgotten = 86'400'000};
    EXPECT_EQ(run(call).items.at(0).whole, 3);
    EXPECT_EQ(redis.call({"EXISTS", "a:gone", "a:gone:given", "a:forgotten"}).whole, 0);
    EXPECT_EQ(redis.call({"EXISTS", "a:here"}).whole, 1);
    EXPECT_EQ(redis.call({"ZRANGE", "a:instances", "0", "-1"}).texts(), (texts{"gone", "here"}));
}

TEST_P(routing, an_id_is_claimed_once) {
    EXPECT_EQ(claim(false), 0);
    EXPECT_EQ(claim(false), 0);      // its answer was lost
    EXPECT_EQ(claim(false, "u"), 1); // another is at work with it
    EXPECT_EQ(claim(true, "u"), 0);  // delivered again: it may have been our own
    redis.call({"SET", "seen:1", "done"});
    EXPECT_EQ(claim(false), 2);
    EXPECT_EQ(claim(true), 2);
    redis.call({"DEL", "seen:1"});
    EXPECT_EQ(claim(false), 0);
    EXPECT_EQ(redis.call({"TTL", "seen:1"}).whole, 60);
}

TEST_P(routing, what_was_counted_is_added) {
    store::scripts::tally_call call{
        .metric = "ns:metrics:duration:x", .count = 3, .sum = 700, .max = 400, .tenths = {"1", "0", "2"}};
    run(call);
    call.max = 300;
    run(call);
    EXPECT_EQ(
        redis.call({"HMGET", "ns:metrics:duration:x", "count", "sum", "max", "histo0", "histo10", "histo20"}).texts(),
        (texts{"6", "1400", "400", "2", "", "4"}));
    store::scripts::tally_call plain{.metric = "ns:metrics:late", .count = 5, .sum = -1, .max = 0, .tenths = {}};
    run(plain);
    EXPECT_EQ(redis.call({"HGETALL", "ns:metrics:late"}).texts(), (texts{"count", "5"}));
}

INSTANTIATE_TEST_SUITE_P(servers, routing, testing::ValuesIn(server_flavours()), [](const auto& instance) {
    return instance.param;
});

} // namespace
} // namespace leat::tests
