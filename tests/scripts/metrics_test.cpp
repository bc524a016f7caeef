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
    answer_of<store::add_metrics_call> add(std::vector<store::added_metric> rows) {
        return run(store::add_metrics_call{
            .keys = keys, .writer = writer, .call = ++calls, .service = "router", .rows = std::move(rows)});
    }
    std::string writer = "me";
    std::int64_t calls = 0;
    static store::added_metric counted(std::string name, std::int64_t count, std::string last = "") {
        return {
            .name = std::move(name),
            .queue = "in",
            .scope = "both",
            .longest = -1,
            .last = std::move(last),
            .fields = {"count", std::to_string(count)}};
    }
    static store::added_metric timed(std::string name, std::int64_t count, std::int64_t sum, std::int64_t longest) {
        auto made = counted(std::move(name), count);
        made.longest = longest;
        made.fields.insert(made.fields.end(), {"sum", std::to_string(sum), "ms5", "1"});
        return made;
    }
    store::list_metrics_outcome listed(texts names) {
        store::list_metrics_call call{.keys = keys, .most = 100, .names = std::move(names)};
        return run(std::move(call)).seen;
    }
};

TEST_P(metrics, counts_are_added_to_the_total_and_to_the_service_and_queue) {
    EXPECT_EQ(add({counted("error", 2, "first")})->added, 1);
    add({counted("error", 3, "WRONGTYPE"), counted("late", 1)});
    add({counted("error", 1)});
    EXPECT_EQ(metric("error"), (hash{{"count", "6"}, {"last", "WRONGTYPE"}}));
    EXPECT_EQ(metric("error@router/in"), metric("error"));
    EXPECT_EQ(metric("late"), (hash{{"count", "1"}}));
    auto names = redis.call({"SMEMBERS", "ns:metrics:names"}).texts();
    EXPECT_THAT(
        names, testing::UnorderedElementsAre(
                   R"(["error"])", R"(["error","router","in"])", R"(["late"])", R"(["late","router","in"])"));
}

TEST_P(metrics, where_a_total_is_counted_by_something_else_it_is_left_alone) {
    auto row = counted("settled", 2);
    row.scope = "service";
    auto other = counted("recovered", 3);
    other.scope = "total";
    add({row, other});
    EXPECT_TRUE(metric("settled").empty());
    EXPECT_EQ(metric("settled@router/in"), (hash{{"count", "2"}}));
    EXPECT_EQ(metric("recovered"), (hash{{"count", "3"}}));
    EXPECT_TRUE(metric("recovered@router/in").empty());
}

TEST_P(metrics, a_call_that_was_done_is_not_done_again) {
    add({counted("error", 2)});
    --calls; // its answer was lost
    EXPECT_EQ(add({counted("error", 2)})->added, 0);
    EXPECT_EQ(metric("error")["count"], "2");
    EXPECT_GT(redis.call({"TTL", "ns:metrics:writer:me"}).whole, 80'000);
    add({counted("error", 2)});
    writer = "other";
    --calls;
    add({counted("error", 2)});
    EXPECT_EQ(metric("error")["count"], "6");
    redis.call({"DEL", "ns:metrics:writer:other"});
    redis.call({"LPUSH", "ns:metrics:writer:other", "mine"});
    add({counted("error", 2)});
    EXPECT_EQ(metric("error")["count"], "8") << "whatever a person has made of the key";
}

TEST_P(metrics, a_call_that_comes_after_a_later_one_does_nothing) {
    add({counted("error", 2)});
    add({counted("error", 3)});
    calls = 0; // the first, from a connection that was lost
    EXPECT_EQ(add({counted("error", 2)})->added, 0);
    EXPECT_EQ(redis.call({"GET", "ns:metrics:writer:me"}).text, "2");
    calls = 1; // the second, whose answer was lost
    EXPECT_EQ(add({counted("error", 3)})->added, 0);
    EXPECT_EQ(metric("error")["count"], "5");
}

TEST_P(metrics, what_others_count_in_a_hash_is_listed_field_by_field) {
    redis.call({"HSET", "bridge:counts", "sent", "9007199254740991", "late", "1"});
    redis.call({"HSET", "other:counts", "late", "2"});
    redis.call({"SET", "wrong:counts", "mine"});
    for (const auto* hash : {"bridge:counts", "other:counts", "bridge:counts", "wrong:counts", "none:counts"}) {
        auto row = counted("bridge:", 0, hash);
        row.scope = "hash";
        row.fields.clear();
        add({row});
    }
    std::vector<std::string> seen;
    for (const auto& row : listed({}).rows) {
        EXPECT_EQ(row.service + row.queue, "") << "all services of a bridge count there";
        seen.push_back(row.name + " " + row.fields.at(0) + " " + row.fields.at(1));
    }
    EXPECT_THAT(seen, testing::UnorderedElementsAre("bridge:sent count 9007199254740991", "bridge:late count 3"));
    EXPECT_TRUE(metric("bridge:").empty());
}

TEST_P(metrics, times_are_added_and_the_longest_is_kept) {
    add({timed("times", 4, 12, 9)});
    add({timed("times", 4, 3, 2)});
    EXPECT_EQ(metric("times"), (hash{{"count", "8"}, {"sum", "15"}, {"max", "9"}, {"ms5", "2"}, {"unit", "ms"}}));
    add({counted("times", 1)});
    EXPECT_EQ(metric("times")["count"], "9");
    EXPECT_EQ(metric("times")["sum"], "15") << "what has no times leaves those that there are";
}

TEST_P(metrics, keys_of_another_type_are_left_as_they_are_and_the_rest_is_counted) {
    redis.call({"SET", "ns:metrics:error", "mine"});
    redis.call({"SET", "ns:metrics:names", "mine"});
    EXPECT_FALSE(add({counted("error", 1), counted("late", 1)}).failed());
    EXPECT_EQ(redis.call({"GET", "ns:metrics:error"}).text, "mine");
    EXPECT_EQ(redis.call({"GET", "ns:metrics:names"}).text, "mine");
    EXPECT_EQ(metric("late"), (hash{{"count", "1"}}));
}

TEST_P(metrics, the_list_has_a_row_for_each_that_there_is) {
    add({counted("error", 2, "x"), timed("times of \xc3\xa4", 1, 7, 7)});
    redis.call({"SET", "ns:metrics:text", "of somebody"});
    redis.call({"SADD", "ns:metrics:names", "no JSON", "{}", "[1]", "[\"gone\"]"});
    redis.call({"SET", "ns:message:tracked", "5"});
    redis.call({"ZADD", "ns:message:retries", "1", "a", "2", "b"});
    auto seen = listed({"nothing", "error", "text"});
    EXPECT_EQ(seen.live, 5);
    EXPECT_EQ(seen.waiting, 2);
    ASSERT_EQ(seen.rows.size(), 4U); // each once, though the name is asked for and in the index
    EXPECT_EQ(seen.rows[0].name, "error");
    EXPECT_EQ(seen.rows[0].service, "");
    EXPECT_THAT(seen.rows[0].fields, testing::UnorderedElementsAre("count", "2", "last", "x"));
    auto times = std::ranges::find_if(
        seen.rows, [](const auto& row) { return row.name == "times of \xc3\xa4" && row.service == "router"; });
    ASSERT_NE(times, seen.rows.end());
    EXPECT_EQ(times->queue, "in");
}

TEST_P(metrics, the_list_is_bounded) {
    std::vector<store::added_metric> rows;
    for (int i = 0; i < 200; ++i) {
        rows.push_back(counted("m" + std::to_string(i), 1));
    }
    add(std::move(rows));
    EXPECT_EQ(listed({}).rows.size(), 100U);
}

TEST_P(metrics, the_list_of_a_namespace_without_anything_is_empty) {
    redis.call({"SET", "ns:message:retries", "of another type"});
    redis.call({"SET", "ns:metrics:names", "of another type"});
    auto seen = listed({"error"});
    EXPECT_EQ(seen.live, 0);
    EXPECT_EQ(seen.waiting, 0);
    EXPECT_THAT(seen.rows, IsEmpty());
}

// ---- deliver

class deliver : public tracking_case {
protected:
    answer_of<store::deliver_call> give(texts outs, std::int64_t max_length = 0) {
        return run(store::deliver_call{.outs = std::move(outs), .message = "m", .max_length = max_length});
    }
};

TEST_P(deliver, pushes_to_every_out) {
    EXPECT_TRUE(give({"a", "b"})->delivered);
    EXPECT_THAT(list("a"), ElementsAre("m"));
    EXPECT_THAT(list("b"), ElementsAre("m"));
}

TEST_P(deliver, pushes_to_none_when_one_is_full) {
    redis.call({"LPUSH", "b", "1", "2"});
    EXPECT_FALSE(give({"a", "b"}, 2)->delivered);
    EXPECT_THAT(list("a"), IsEmpty());
    EXPECT_TRUE(give({"a", "b"}, 3)->delivered);
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
