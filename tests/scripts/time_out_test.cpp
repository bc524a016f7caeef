// What becomes of a message that nobody reports: time_out and retry.
#include "tracking_case.hpp"

namespace leat::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class time_out_ : public tracking_case {};

TEST_P(time_out_, ends_what_is_due_and_tells_when_the_next_is) {
    transfer("a");
    now += 4'000;
    transfer("b");
    auto early = time_out();
    EXPECT_EQ(early->due, 0);
    EXPECT_EQ(early->next, 6'000);
    EXPECT_EQ(early->next_retry, -1);
    now += 6'000;
    auto first = time_out();
    EXPECT_EQ(first->due, 1);
    EXPECT_EQ(first->next, 4'000);
    EXPECT_EQ(first->live, 1);
    EXPECT_EQ(metric("timeout"), (hash{{"count", "1"}, {"sum", "10"}, {"max", "10"}, {"histo100", "1"}}));
    EXPECT_THAT(list("ns:message:ids"), ElementsAre("2"));
    now += 5'000;
    EXPECT_EQ(time_out()->next, -1);
    EXPECT_EQ(metric("timeout"), (hash{{"count", "2"}, {"sum", "21"}, {"max", "11"}, {"histo100", "2"}}));
    expect_clean();
}

TEST_P(time_out_, done_and_timed_out_are_counted_once) {
    transfer("a");
    now += 20'000;
    complete({"1"});
    time_out();
    EXPECT_EQ(count_of("done"), "1");
    EXPECT_EQ(count_of("timeout"), "");
}

TEST_P(time_out_, what_has_expired_is_delisted_and_counted) {
    transfer("a");
    redis.call({"DEL", "ns:message:1"});
    now += 60'000;
    time_out();
    EXPECT_EQ(count_of("message:expired"), "1");
    EXPECT_FALSE(exists("ns:message:ids"));
    EXPECT_FALSE(exists("ns:message:deadlines"));
    complete({"1"});
    EXPECT_EQ(count_of("done:expired"), "1");
}

TEST_P(time_out_, an_index_that_was_edited_stops_nothing) {
    transfer("a");
    redis.call({"ZADD", "ns:message:deadlines", "1", "words", "2", "-5", "3", "99"});
    now += 10'000;
    time_out();
    EXPECT_EQ(count_of("timeout"), "1");
    EXPECT_EQ(count_of("message:expired"), "1");
    EXPECT_FALSE(exists("ns:message:deadlines"));
}

TEST_P(time_out_, with_retry_it_waits_and_is_delivered_again) {
    transfer("body", retried_call());
    redis.call({"DEL", "out0", "out1"});
    now += 10'000;
    auto answered = time_out();
    EXPECT_EQ(answered->next, -1);
    EXPECT_EQ(answered->next_retry, 4'000);
    EXPECT_EQ(answered->live, 1);
    EXPECT_EQ(hgetall("ns:message:1")["retry"], "1459166187");
    EXPECT_EQ(count_of("timeout"), "1");
    EXPECT_EQ(retry()->delivered, 0);
    now += 4'000;
    EXPECT_EQ(retry()->delivered, 1);
    EXPECT_THAT(list("out0"), ElementsAre("body"));
    EXPECT_THAT(list("out1"), ElementsAre("body"));
    EXPECT_EQ(
        hgetall("ns:message:1"), (hash{
                                     {"timestamp", "1459166173"},
                                     {"xid", hgetall("ns:message:1")["xid"]},
                                     {"deadline", "1459166197"},
                                     {"service", "1"},
                                     {"attempts", "2"},
                                     {"times", "1459166173 1459166187"}}));
    EXPECT_EQ(count_of("retry"), "1");
    EXPECT_EQ(time_out()->next, 10'000);
    now += 1'000;
    complete({"1"});
    EXPECT_EQ(count_of("done"), "1");
    expect_clean();
}

TEST_P(time_out_, a_report_that_comes_while_it_waits_ends_it) {
    transfer("body", retried_call());
    now += 11'000;
    time_out();
    complete({"1"});
    now += 60'000;
    EXPECT_EQ(retry()->delivered, 0);
    EXPECT_EQ(count_of("done"), "1");
    expect_clean();
}

TEST_P(time_out_, used_up_it_goes_to_the_dead_with_its_story) {
    transfer("body", retried_call());
    now += 10'000;
    time_out();
    now += 4'000;
    retry();
    now += 10'000;
    time_out();
    EXPECT_THAT(list("ns:message:dead"), ElementsAre("body"));
    auto sha = redis.call({"EVAL", "return redis.sha1hex('body')", "0"}).text;
    auto story = redis.call({"HGET", "ns:message:dead:story", sha}).text;
    for (const auto* part :
         {R"("reason":"not done after 2 attempts")", R"("attempts":2)", R"("times":"1459166173 1459166187")",
          R"("died":1459166197)", R"("origin":"in")", R"("id":"1")", R"("silent":["out0","out1"])"}) {
        EXPECT_THAT(story, HasSubstr(part));
    }
    EXPECT_EQ(count_of("timeout"), "2");
    EXPECT_EQ(metric("timeout")["sum"], "20");
    EXPECT_EQ(count_of("dead"), "1");
    redis.call({"DEL", "ns:message:dead", "ns:message:dead:story"});
    expect_clean();
    complete({"1"});
    EXPECT_EQ(count_of("done:expired"), "1");
}

TEST_P(time_out_, only_the_silent_are_served_again) {
    auto given = retried_call(plan("all"));
    transfer("body", given);
    redis.call({"DEL", "out0", "out1"});
    complete({"1:out1"});
    now += 10'000;
    time_out();
    now += 4'000;
    retry();
    EXPECT_THAT(list("out0"), ElementsAre("body"));
    EXPECT_THAT(list("out1"), IsEmpty());
    complete({"1:out0"});
    EXPECT_EQ(count_of("done"), "1");
    expect_clean();
}

TEST_P(time_out_, handed_over_for_another_server_it_is_so_once) {
    auto given = retried_call(plan("first", "redis://there"));
    transfer("body", given);
    redis.call({"DEL", "out0", "out1"});
    now += 10'000;
    time_out();
    now += 4'000;
    auto handed = retry("redis://there");
    EXPECT_EQ(handed->delivered, 1);
    EXPECT_THAT(
        handed->handed,
        ElementsAre(store::handed_retry{.id = "1", .message = "body", .max_length = 0, .outs = {"out0", "out1"}}));
    EXPECT_THAT(handed->trouble, IsEmpty());
    EXPECT_THAT(list("out0"), IsEmpty());
    EXPECT_EQ(retry("redis://there")->delivered, 0);
    EXPECT_EQ(hgetall("ns:message:1")["attempts"], "2");
    EXPECT_EQ(count_of("retry"), "1");

    store::undo_retry_call back{.keys = keys, .id = "1"};
    EXPECT_TRUE(run(back)->done);
    EXPECT_EQ(hgetall("ns:message:1")["attempts"], "1");
    EXPECT_EQ(hgetall("ns:message:1")["times"], "1459166173");
    EXPECT_EQ(count_of("retry"), "0");
    now += 1'000;
    EXPECT_EQ(retry("redis://there")->delivered, 1);
    complete({"1"});
    EXPECT_FALSE(run(back)->done);
    expect_clean();
}

TEST_P(time_out_, what_is_anothers_is_left_to_it_and_given_up_before_it_is_forgotten) {
    auto given = retried_call(plan("first", "redis://there"));
    transfer("body", given);
    now += 10'000;
    time_out();
    now += 4'000;
    auto score = redis.call({"ZSCORE", "ns:message:retries", "1"}).text;
    for (const auto* elsewhere : {"", "redis://elsewhere"}) {
        auto left = retry(elsewhere);
        EXPECT_EQ(left->delivered, 0);
        EXPECT_EQ(left->waiting, 1);
        EXPECT_EQ(redis.call({"ZSCORE", "ns:message:retries", "1"}).text, score);
        now += 1'000;
    }
    now += 2'000;
    retry();
    EXPECT_NE(redis.call({"ZSCORE", "ns:message:retries", "1"}).text, score); // those behind it may come first
    now += 5'000;
    EXPECT_EQ(hgetall("ns:message:1")["attempts"], "1");
    redis.call({"EXPIRE", "ns:message:1:body", "4"});
    retry();
    time_out();
    EXPECT_THAT(list("ns:message:dead"), ElementsAre("body"));
}

TEST_P(time_out_, what_has_to_wait_does_not_expire) {
    auto one_at_a_time = plan();
    one_at_a_time.max_length = 1;
    transfer("body", retried_call(one_at_a_time));
    now += 10'000;
    time_out();
    auto nearly_gone = [this] {
        for (const auto* key : {"ns:message:1", "ns:message:1:body", "ns:message:plan:1"}) {
            redis.call({"EXPIRE", key, "2"});
        }
    };
    auto expect_kept = [this] {
        for (const auto* key : {"ns:message:1", "ns:message:1:body", "ns:message:plan:1"}) {
            EXPECT_GT(redis.call({"TTL", key}).whole, 80) << key;
        }
    };
    now += 4'000;
    nearly_gone();
    EXPECT_EQ(retry()->waiting, 1); // full
    expect_kept();
    nearly_gone();
    now += 1'000;
    auto postponed = run(store::delay_retries_call{.keys = keys, .max_count = 10});
    EXPECT_EQ(postponed->delayed, 1);
    expect_kept();
    redis.call({"DEL", "out0", "out1"});
    now += 1'000;
    EXPECT_EQ(retry()->delivered, 1);
    redis.call({"SET", "ns:message:dead", "text"});
    nearly_gone();
    now += 10'000;
    time_out();
    expect_kept();
}

TEST_P(time_out_, keys_that_were_edited_stop_no_other) {
    for (const auto* message : {"a", "b", "c", "d"}) {
        transfer(message, retried_call());
    }
    redis.call({"ZADD", "ns:message:retries", "1", "abc", "2", "-1", "3", "77"});
    redis.call({"HSET", "ns:message:1", "attempts", "inf"});
    redis.call({"HSET", "ns:message:2", "attempts", "nan"});
    redis.call({"HDEL", "ns:message:3", "xid"});
    redis.call({"DEL", "out0", "out1"});
    now += 10'000;
    ASSERT_FALSE(time_out().failed());
    EXPECT_THAT(list("ns:message:dead"), ElementsAre("b", "a"));
    now += 4'000;
    auto delivered = retry();
    ASSERT_FALSE(delivered.failed()) << delivered.text;
    EXPECT_EQ(delivered->delivered, 2);
    EXPECT_EQ(count_of("retry"), "2");
    EXPECT_EQ(count_of("message:expired"), "1"); // 77
    EXPECT_THAT(list("out0"), ElementsAre("d", "c"));
    EXPECT_FALSE(exists("ns:message:retries"));
}

TEST_P(time_out_, an_older_message_of_the_same_xid_can_be_found_when_it_comes_again) {
    transfer("same", retried_call());
    transfer("same", retried_call());
    auto cross = "ns:message:xid:" + hgetall("ns:message:1")["xid"];
    complete({"2"});
    EXPECT_FALSE(exists(cross));
    now += 10'000;
    time_out();
    now += 4'000;
    retry();
    EXPECT_EQ(hgetall(cross), (hash{{"id", "1"}, {"type", "sha1"}}));
    EXPECT_GT(redis.call({"TTL", cross}).whole, 80);
    complete({"1"});
    expect_clean();
}

TEST_P(time_out_, a_deadline_in_the_far_future_is_looked_at_within_the_hour) {
    transfer("a");
    redis.call({"ZADD", "ns:message:deadlines", "2e13", "1"});
    EXPECT_EQ(time_out()->next, 3'600'000);
}

TEST_P(time_out_, large_ones_are_buried_a_few_at_a_time) {
    auto once = plan();
    once.attempts = 1;
    auto given = retried_call(once);
    given.max_bytes = 1 << 30;
    for (int i = 0; i < 12; ++i) {
        transfer(std::to_string(i) + std::string(1 << 18, 'x'), given);
    }
    now += 10'000;
    EXPECT_EQ(time_out()->next, 0); // there is more
    EXPECT_EQ(redis.call({"LLEN", "ns:message:dead"}).whole, 4);
    time_out();
    time_out();
    EXPECT_EQ(redis.call({"LLEN", "ns:message:dead"}).whole, 12);
}

TEST_P(time_out_, an_out_that_is_wrong_or_full_is_tried_again_later) {
    auto one_at_a_time = plan();
    one_at_a_time.max_length = 1;
    transfer("body", retried_call(one_at_a_time));
    now += 10'000;
    time_out();
    now += 4'000;
    auto full = retry();
    EXPECT_EQ(full->waiting, 1);
    EXPECT_THAT(full->trouble, IsEmpty());
    redis.call({"DEL", "out0", "out1"});
    redis.call({"SET", "out1", "text"});
    EXPECT_EQ(retry()->waiting, 0); // not yet
    now += 1'000;
    EXPECT_THAT(retry()->trouble, ElementsAre(HasSubstr("key=out1")));
    EXPECT_FALSE(exists("out0"));
    redis.call({"DEL", "out1"});
    now += 1'000;
    EXPECT_EQ(retry()->delivered, 1);
    EXPECT_THAT(list("out0"), ElementsAre("body"));
    EXPECT_EQ(hgetall("ns:message:1")["attempts"], "2");
}

TEST_P(time_out_, a_wrong_dead_list_keeps_the_message) {
    auto once = plan();
    once.attempts = 1;
    transfer("body", retried_call(once));
    redis.call({"SET", "ns:message:dead", "text"});
    now += 10'000;
    EXPECT_THAT(time_out()->trouble, ElementsAre(HasSubstr("key=ns:message:dead")));
    EXPECT_EQ(redis.call({"GET", "ns:message:1:body"}).text, "body");
    EXPECT_EQ(count_of("timeout"), "");
    redis.call({"DEL", "ns:message:dead"});
    now += 1'000;
    time_out();
    EXPECT_THAT(list("ns:message:dead"), ElementsAre("body"));
    EXPECT_EQ(count_of("timeout"), "1");
}

TEST_P(time_out_, without_its_plan_it_is_buried) {
    transfer("body", retried_call());
    redis.call({"SET", "ns:message:plan:1", "no JSON"});
    now += 10'000;
    time_out();
    EXPECT_THAT(list("ns:message:dead"), ElementsAre("body"));
    EXPECT_EQ(count_of("dead"), "1");
}

TEST_P(time_out_, edited_attempts_do_not_lose_it) {
    transfer("body", retried_call());
    redis.call({"HSET", "ns:message:1", "attempts", "many"});
    now += 10'000;
    time_out();
    EXPECT_THAT(list("ns:message:dead"), ElementsAre("body"));
}

TEST_P(time_out_, in_another_database_the_outs_are_still_found) {
    auto given = retried_call();
    given.queue_db = "0";
    given.service_db = "1";
    transfer("body", given);
    redis.call({"DEL", "out0", "out1"});
    redis.call({"SELECT", "1"});
    now += 10'000;
    time_out();
    now += 4'000;
    auto delivered = retry("", 1);
    EXPECT_EQ(delivered->delivered, 1);
    EXPECT_FALSE(exists("out0"));
    redis.call({"SELECT", "0"});
    EXPECT_THAT(list("out0"), ElementsAre("body"));
}

TEST_P(time_out_, a_database_that_is_not_there_holds_up_no_other_message) {
    auto far = plan();
    far.db = 40;
    transfer("far", retried_call(far));
    auto near = retried_call();
    near.service = 2;
    transfer("near", near);
    redis.call({"DEL", "out0", "out1"});
    now += 10'000;
    time_out();
    now += 4'000;
    auto delivered = retry();
    EXPECT_EQ(delivered->delivered, 1);
    EXPECT_THAT(delivered->trouble, ElementsAre(testing::HasSubstr("db=40")));
    EXPECT_THAT(list("out0"), ElementsAre("near"));
    EXPECT_TRUE(exists("ns:message:1:body")) << "it waits";
}

TEST_P(time_out_, pauses_grow_to_a_limit_and_are_made_random) {
    auto growing = plan();
    growing.outs = {"out0"};
    growing.attempts = 6;
    growing.first = 1;
    growing.factor = 3;
    growing.max = 5;
    growing.jitter = 0.5;
    growing.expire = 500;
    transfer("body", retried_call(growing));
    std::vector<std::int64_t> pauses;
    for (int i = 0; i < 5; ++i) {
        now += 10'000;
        pauses.push_back(time_out()->next_retry);
        now += pauses.back();
        EXPECT_EQ(retry()->delivered, 1);
    }
    std::int64_t whole[]{1000, 3000, 5000, 5000, 5000};
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_LE(pauses[i], whole[i]);
        EXPECT_GE(pauses[i], whole[i] / 2);
    }
}

LEAT_ON_BOTH_SERVERS(time_out_);

} // namespace
} // namespace leat::tests
