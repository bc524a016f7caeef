#include "scripts/taking_case.hpp"
#include "store/scripts.hpp"

namespace leat::tests {
namespace {

class routing : public taking_case {
protected:
    bool limit_rate(std::int64_t limit, std::int64_t period, std::int64_t burst) {
        return run(store::limit_rate_call{.counter = "limit", .limit = limit, .period = period, .burst = burst})
            ->admitted;
    }
    answer_of<store::take_answers_call> take_answers(
        std::int64_t arrived, std::int64_t count = 10, std::int64_t bytes = 1000, std::int64_t largest = 10'000) {
        return run(store::take_answers_call{
            .keys = answers,
            .instance = "i",
            .arrived = arrived,
            .max_count = count,
            .max_bytes = bytes,
            .largest = largest});
    }
    store::sweep_answers_outcome sweep(std::int64_t skip = 0) {
        return run(store::sweep_answers_call{
                       .keys = answers, .quiet = 600'000, .forgotten = 86'400'000, .skip = skip, .max_count = 100})
            .seen;
    }
    // As whoever runs does; returns the lists that were removed.
    std::int64_t sweep_all() {
        std::int64_t removed = 0;
        for (std::int64_t skip = 0; skip >= 0;) {
            auto made = sweep(skip);
            removed += made.removed;
            skip = made.next;
        }
        return removed;
    }
    void add_instances(int count, std::int64_t heard_of) {
        for (int i = 0; i < count; ++i) {
            auto name = std::to_string(heard_of) + "-" + std::to_string(i);
            redis.call({"ZADD", "a:instances", std::to_string(heard_of - i % 7), name});
            redis.call({"LPUSH", "a:" + name, "late"});
        }
    }
    store::id_reservation reserve(bool again, const std::string& reservation = "t") {
        store::reserve_id_call given{.mark = "seen:1", .reservation = reservation, .again = again, .seconds = 60};
        return run(given)->state;
    }
    const store::answer_keys answers{"a"};
};

TEST_P(routing, a_shared_window) {
    EXPECT_TRUE(limit_rate(2, 60'000, 0));
    EXPECT_TRUE(limit_rate(2, 60'000, 0));
    EXPECT_FALSE(limit_rate(2, 60'000, 0));
    EXPECT_GT(redis.call({"PTTL", "limit"}).whole, 50'000);
    redis.call({"DEL", "limit"}); // as its expiry would
    EXPECT_TRUE(limit_rate(2, 60'000, 0));
    redis.call({"DEL", "limit"});
    EXPECT_TRUE(limit_rate(1, 0, 0)); // without an end
    EXPECT_FALSE(limit_rate(1, 0, 0));
    EXPECT_EQ(redis.call({"PTTL", "limit"}).whole, -1);
}

TEST_P(routing, a_shared_bucket) {
    EXPECT_TRUE(limit_rate(10, 1000, 2));
    EXPECT_TRUE(limit_rate(10, 1000, 2));
    EXPECT_FALSE(limit_rate(10, 1000, 2));
    now += 99;
    EXPECT_FALSE(limit_rate(10, 1000, 2));
    now += 2;
    EXPECT_TRUE(limit_rate(10, 1000, 2));
    EXPECT_FALSE(limit_rate(10, 1000, 2));
    now -= 60'000; // a clock that was set back gives nothing and takes nothing
    EXPECT_FALSE(limit_rate(10, 1000, 2));
    now += 3'600'000;
    EXPECT_TRUE(limit_rate(10, 1000, 2));
    EXPECT_TRUE(limit_rate(10, 1000, 2));
    EXPECT_FALSE(limit_rate(10, 1000, 2));
    EXPECT_GT(redis.call({"PTTL", "limit"}).whole, 0);
}

TEST_P(routing, a_limit_of_the_wrong_type_changes_nothing) {
    redis.call({"LPUSH", "limit", "x"});
    auto before = redis.keyspace();
    for (std::int64_t burst : {0, 5}) {
        store::limit_rate_call call{.counter = "limit", .limit = 1, .period = 1000, .burst = burst};
        EXPECT_TRUE(run(call).failed());
    }
    EXPECT_EQ(redis.keyspace(), before);
}

TEST_P(routing, answers_are_handed_over_until_they_have_arrived) {
    redis.call({"LPUSH", "a:i", "1", "2", "3"});
    EXPECT_EQ(take_answers(0, 2)->messages, (texts{"1", "2"}));
    EXPECT_EQ(take_answers(0, 2)->messages, (texts{"1", "2"})); // its answer was lost
    EXPECT_EQ(take_answers(0, 1)->messages, (texts{"1"}));      // ... and one at a time
    EXPECT_EQ(take_answers(1, 1)->messages, (texts{"2"}));
    auto next = take_answers(1, 2);
    EXPECT_EQ(next->left, 0);
    EXPECT_EQ(next->messages, (texts{"3"}));
    EXPECT_TRUE(take_answers(1)->messages.empty());
    EXPECT_EQ(redis.call({"EXISTS", "a:i", "a:i:given"}).whole, 0);
    EXPECT_EQ(redis.call({"ZSCORE", "a:instances", "i"}).text, std::to_string(now));
}

TEST_P(routing, answers_are_bounded_by_their_size) {
    std::string large(800, 'x');
    redis.call({"LPUSH", "a:i", large, large, large});
    EXPECT_EQ(take_answers(0)->messages.size(), 2U);
    EXPECT_EQ(take_answers(2)->messages.size(), 1U);
}

TEST_P(routing, of_an_answer_that_is_too_large_only_that_is_handed_over) {
    std::string large(2000, 'x');
    auto first = R"({"meta":{"id":"i-1"},"body":")" + large + "\"}";
    redis.call({"LPUSH", "a:i", first, R"({"body":")" + large + R"(","meta":{"id":7}})", large});
    auto read = take_answers(0, 10, 100'000, 1000)->messages;
    ASSERT_EQ(read.size(), 3U);
    EXPECT_EQ(
        read[0], R"({"meta":{"id":"i-1"},"error":{"name":"TooLarge","message":"the answer has )" +
                     std::to_string(first.size()) + R"( bytes, more than 1000"}})");
    EXPECT_THAT(read[1], testing::HasSubstr(R"({"meta":{"id":7},"error":{"name":"TooLarge")"));
    EXPECT_THAT(read[2], testing::HasSubstr(R"({"meta":{"id":""})"));
}

TEST_P(routing, a_list_of_answers_that_is_none_changes_nothing) {
    redis.call({"SET", "a:i", "text"});
    auto before = redis.keyspace();
    EXPECT_THAT(take_answers(0).text, testing::HasSubstr("WRONGTYPE"));
    EXPECT_EQ(redis.keyspace(), before);
}

TEST_P(routing, what_the_dead_would_have_heard_is_swept) {
    redis.call({"ZADD", "a:instances", std::to_string(now - 700'000), "gone", std::to_string(now - 100), "here"});
    redis.call({"ZADD", "a:instances", std::to_string(now - 90'000'000), "forgotten"});
    for (const auto* each : {"a:gone", "a:gone:given", "a:here", "a:forgotten"}) {
        redis.call({"LPUSH", each, "x"});
    }
    EXPECT_EQ(sweep_all(), 3);
    EXPECT_EQ(redis.call({"EXISTS", "a:gone", "a:gone:given", "a:forgotten"}).whole, 0);
    EXPECT_EQ(redis.call({"EXISTS", "a:here"}).whole, 1);
    EXPECT_EQ(redis.call({"ZRANGE", "a:instances", "0", "-1"}).texts(), (texts{"gone", "here"}));
}

TEST_P(routing, an_instance_is_forgotten_only_when_its_lists_are_swept) {
    add_instances(300, now - 90'000'000);
    redis.call({"LPUSH", "a:here", "x"});
    redis.call({"ZADD", "a:instances", std::to_string(now), "here"});
    auto first = sweep();
    EXPECT_EQ(first.removed, 100);
    EXPECT_EQ(first.next, 0);                                         // the others have moved up
    EXPECT_EQ(redis.call({"ZCARD", "a:instances"}).whole, 201);       // as many rows
    EXPECT_EQ(redis.call({"KEYS", "a:*"}).texts().size(), 1U + 201U); // as lists
    EXPECT_EQ(sweep_all(), 200);
    EXPECT_EQ(redis.call({"ZRANGE", "a:instances", "0", "-1"}).texts(), (texts{"here"}));
    EXPECT_EQ(redis.call({"EXISTS", "a:here"}).whole, 1);
}

TEST_P(routing, what_comes_later_is_swept_again) {
    add_instances(250, now - 700'000);
    add_instances(150, now - 90'000'000);
    EXPECT_EQ(sweep_all(), 400);
    EXPECT_EQ(redis.call({"ZCARD", "a:instances"}).whole, 250);
    EXPECT_EQ(redis.call({"KEYS", "a:*"}).texts(), (texts{"a:instances"}));
    add_instances(250, now - 700'000);
    EXPECT_EQ(sweep_all(), 250);
    EXPECT_EQ(sweep_all(), 0);
    now += 86'400'000;
    EXPECT_EQ(sweep_all(), 0);
    EXPECT_EQ(redis.call({"EXISTS", "a:instances"}).whole, 0);
}

TEST_P(routing, an_id_is_reserved_once) {
    EXPECT_EQ(reserve(false), store::id_reservation::reserved);
    EXPECT_EQ(reserve(false), store::id_reservation::reserved);     // its answer was lost
    EXPECT_EQ(reserve(false, "u"), store::id_reservation::at_work); // another is
    EXPECT_EQ(reserve(true, "u"), store::id_reservation::reserved); // delivered again: it may have been our own
    redis.call({"SET", "seen:1", "done"});
    EXPECT_EQ(reserve(false), store::id_reservation::done);
    EXPECT_EQ(reserve(true), store::id_reservation::done);
    redis.call({"DEL", "seen:1"});
    EXPECT_EQ(reserve(false), store::id_reservation::reserved);
    EXPECT_EQ(redis.call({"TTL", "seen:1"}).whole, 60);
}

TEST_P(routing, a_reservation_of_a_lease_that_is_gone_may_be_taken_over) {
    for (const std::string pending : {"in:pending", "with spaces\nand lines"}) {
        redis.call({"FLUSHALL"});
        keys = store::taking_keys{pending};
        open();
        open("other");
        auto mine = "begun a-1 secret " + keys.lease(1);
        auto another = "begun b-1 other " + keys.lease(2);
        EXPECT_EQ(reserve(false, mine), store::id_reservation::reserved);
        EXPECT_EQ(reserve(false, mine), store::id_reservation::reserved); // its answer was lost
        EXPECT_EQ(reserve(false, another), store::id_reservation::at_work);
        EXPECT_EQ(reserve(true, another), store::id_reservation::at_work); // delivered again, but who has begun lives
        EXPECT_EQ(
            reserve(false, "begun a-2 secret " + keys.lease(1)),
            store::id_reservation::at_work); // an equal one beside it
        redis.call({"HSET", keys.lease(1), "token", "of somebody else"});
        EXPECT_EQ(reserve(false, another), store::id_reservation::reserved);
        redis.call({"DEL", keys.lease(2)});
        redis.call({"HSET", keys.lease(1), "token", "secret"});
        EXPECT_EQ(reserve(false, mine), store::id_reservation::reserved);
        redis.call({"DEL", keys.lease(1)});
        redis.call({"SET", keys.lease(1), "text"});
        redis.call({"HSET", keys.lease(2), "token", "other"});
        EXPECT_EQ(reserve(false, another), store::id_reservation::reserved);
    }
}

TEST_P(routing, who_has_lost_the_lease_reserves_nothing) {
    open();
    auto mine = "begun a-1 secret " + keys.lease(1);
    redis.call({"HSET", keys.lease(1), "token", "of somebody else"});
    EXPECT_EQ(reserve(false, mine), store::id_reservation::lease_lost);
    EXPECT_EQ(reserve(true, mine), store::id_reservation::lease_lost);
    EXPECT_EQ(redis.call({"EXISTS", "seen:1"}).whole, 0);
    redis.call({"SET", "seen:1", "begun b-1 other x:lease"}); // whose own lease is gone, too
    EXPECT_EQ(reserve(true, mine), store::id_reservation::lease_lost);
    EXPECT_EQ(redis.call({"GET", "seen:1"}).text, "begun b-1 other x:lease");
}

TEST_P(routing, a_reservation_that_cannot_be_looked_into_is_not_taken_over) {
    open();
    reserve(false, "begun a-1 secret in:pending:1:lease");
    redis.call({"ACL", "SETUSER", "some", "reset", "on", "nopass", "+@all", "~seen:*"});
    auto user = server.connect();
    user.call({"AUTH", "some", "x"});
    auto before = redis.keyspace();
    store::reserve_id_call given{.mark = "seen:1", .reservation = "b-1", .again = 0, .seconds = 60};
    EXPECT_THAT(run_call(user, make_call(given)).text, testing::HasSubstr("key=in:pending:1:lease"));
    EXPECT_EQ(redis.keyspace(), before);
}

INSTANTIATE_TEST_SUITE_P(servers, routing, testing::ValuesIn(server_flavours()), [](const auto& instance) {
    return instance.param;
});

} // namespace
} // namespace leat::tests
