// What is counted, and how it is read.
#include "scripts/tracking_case.hpp"

namespace leat::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using texts = std::vector<std::string>;

class metrics : public tracking_case {
protected:
    answer count(std::int64_t many, const std::string& last = "") {
        return run(store::count_call{.metric = "ns:metrics:error", .count = many, .last = last});
    }
    answer tally(std::int64_t many, std::int64_t sum, std::int64_t max, texts tenths) {
        return run(store::tally_call{
            .metric = "ns:metrics:times", .count = many, .sum = sum, .max = max, .tenths = std::move(tenths)});
    }
    answer listed(texts names) {
        return run(store::list_metrics_call{
            .tracked = "ns:message:tracked",
            .retries = "ns:message:retries",
            .prefix = "ns:metrics:",
            .names = std::move(names)});
    }
};

TEST_P(metrics, count_adds_and_remembers_what_it_was_last) {
    EXPECT_FALSE(count(2).failed());
    EXPECT_EQ(metric("error"), (hash{{"count", "2"}}));
    count(3, "WRONGTYPE");
    count(1);
    EXPECT_EQ(metric("error"), (hash{{"count", "6"}, {"last", "WRONGTYPE"}}));
}

TEST_P(metrics, count_leaves_a_key_of_another_type_as_it_is) {
    redis.call({"SET", "ns:metrics:error", "mine"});
    EXPECT_THAT(count(1).text, HasSubstr("WRONGTYPE"));
    EXPECT_EQ(redis.call({"GET", "ns:metrics:error"}).text, "mine");
}

TEST_P(metrics, tally_adds_times_and_raises_the_longest) {
    texts tenths(11, "0");
    tenths[0] = "3";
    tenths[10] = "1";
    tally(4, 12, 9, tenths);
    tally(4, 3, 2, tenths);
    EXPECT_EQ(metric("times"), (hash{{"count", "8"}, {"sum", "15"}, {"max", "9"}, {"histo0", "6"}, {"histo100", "2"}}));
    tally(1, -1, 0, {});
    EXPECT_EQ(metric("times")["count"], "9");
    EXPECT_EQ(metric("times")["sum"], "15") << "what has no times leaves those that there are";
}

TEST_P(metrics, the_list_has_a_row_for_each_that_there_is) {
    count(2, "x");
    tally(1, 7, 7, texts(11, "1"));
    redis.call({"SET", "ns:metrics:text", "of somebody"});
    redis.call({"SET", "ns:message:tracked", "5"});
    redis.call({"ZADD", "ns:message:retries", "1", "a", "2", "b"});
    auto seen = listed({"nothing", "error", "text", "times"});
    EXPECT_EQ(seen.items.at(0).whole, 5);
    EXPECT_EQ(seen.items.at(1).whole, 2);
    auto rows = seen.items.at(2).texts();
    ASSERT_EQ(rows.size(), 32U);
    EXPECT_THAT(texts(rows.begin(), rows.begin() + 6), ElementsAre("error", "2", "", "", "x", ""));
    EXPECT_THAT(texts(rows.begin() + 16, rows.begin() + 22), ElementsAre("times", "1", "7", "7", "", "1"));
}

TEST_P(metrics, the_list_of_a_namespace_without_anything_is_empty) {
    redis.call({"SET", "ns:message:retries", "of another type"});
    auto seen = listed({"error"});
    EXPECT_EQ(seen.items.at(0).whole, 0);
    EXPECT_EQ(seen.items.at(1).whole, 0);
    EXPECT_THAT(seen.items.at(2).texts(), IsEmpty());
}

// ---- deliver

class deliver : public tracking_case {
protected:
    answer give(texts outs, std::int64_t max_length = 0) {
        return run(store::deliver_call{.outs = std::move(outs), .message = "m", .max_length = max_length});
    }
};

TEST_P(deliver, pushes_to_every_out) {
    EXPECT_EQ(give({"a", "b"}).items.at(0).whole, 1);
    EXPECT_THAT(list("a"), ElementsAre("m"));
    EXPECT_THAT(list("b"), ElementsAre("m"));
}

TEST_P(deliver, pushes_to_none_when_one_is_full) {
    redis.call({"LPUSH", "b", "1", "2"});
    EXPECT_EQ(give({"a", "b"}, 2).items.at(0).whole, 0);
    EXPECT_THAT(list("a"), IsEmpty());
    EXPECT_EQ(give({"a", "b"}, 3).items.at(0).whole, 1);
    EXPECT_THAT(list("b"), ElementsAre("m", "2", "1"));
}

TEST_P(deliver, pushes_to_none_when_one_is_no_list) {
    redis.call({"SET", "b", "text"});
    EXPECT_THAT(give({"a", "b"}).text, testing::AllOf(HasSubstr("WRONGTYPE"), HasSubstr("key=b")));
    EXPECT_THAT(list("a"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(servers, metrics, testing::ValuesIn(server_flavours()));
INSTANTIATE_TEST_SUITE_P(servers, deliver, testing::ValuesIn(server_flavours()));

} // namespace
} // namespace leat::tests
