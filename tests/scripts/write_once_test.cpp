// Writes that belong to no message in flight.
#include "scripts/taking_case.hpp"

namespace leat::tests {
namespace {

class write_once : public taking_case {
protected:
    answer_of<store::write_once_call> write(
        const std::vector<store::output>& pushes, const std::string& mark = "mark") {
        store::write_once_call call{.mark = mark, .keep = 60};
        store::write_pushes(pushes, call);
        return run(call);
    }
};

TEST_P(write_once, all_that_was_gathered) {
    std::vector<store::output> pushes{
        {.to = "a", .message = "1"},
        {.to = "b", .message = "2"},
        {.to = "a", .message = std::string{"\0\xff", 2}},
        {.to = "seen", .message = "done", .keep = 30}};
    EXPECT_EQ(write(pushes)->state, store::written_once::done);
    EXPECT_EQ(list("a"), (texts{"1", std::string{"\0\xff", 2}}));
    EXPECT_EQ(list("b"), (texts{"2"}));
    EXPECT_EQ(redis.call({"GET", "seen"}).text, "done");
    EXPECT_EQ(redis.call({"TTL", "seen"}).whole, 30);
    EXPECT_EQ(redis.call({"TTL", "mark"}).whole, 60);
}

TEST_P(write_once, an_answer_that_was_lost_does_not_double_it) {
    EXPECT_EQ(write({{.to = "a", .message = "1"}})->state, store::written_once::done);
    EXPECT_EQ(write({{.to = "a", .message = "1"}})->state, store::written_once::repeated);
    EXPECT_EQ(list("a"), (texts{"1"}));
    EXPECT_EQ(write({{.to = "a", .message = "1"}}, "another")->state, store::written_once::done);
    EXPECT_EQ(list("a"), (texts{"1", "1"}));
}

TEST_P(write_once, what_was_done_is_repeated_whatever_has_become_of_its_outs) {
    EXPECT_EQ(write({{.to = "a", .message = "1"}})->state, store::written_once::done);
    redis.call({"DEL", "a"});
    redis.call({"SET", "a", "text"});
    auto before = redis.keyspace();
    EXPECT_EQ(write({{.to = "a", .message = "1"}})->state, store::written_once::repeated);
    EXPECT_EQ(redis.keyspace(), before);
    EXPECT_TRUE(write({{.to = "a", .message = "1"}}, "another").failed());
}

TEST_P(write_once, nothing_when_one_cannot_be_pushed) {
    redis.call({"SET", "wrong", "text"});
    auto before = redis.keyspace();
    for (bool by_message : {false, true}) {
        auto refused = write({{.to = "a", .message = "1"}, {.to = "wrong", .message = "2", .by_message = by_message}});
        EXPECT_TRUE(refused.failed());
        EXPECT_THAT(refused.text, testing::HasSubstr("key=wrong"));
        EXPECT_EQ(redis.keyspace(), before);
    }
    redis.call({"DEL", "wrong"}); // repaired, it is not taken for done
    EXPECT_EQ(write({{.to = "a", .message = "1"}, {.to = "wrong", .message = "2"}})->state, store::written_once::done);
}

TEST_P(write_once, nothing_at_all_is_no_error) {
    EXPECT_EQ(write({})->state, store::written_once::done);
}

INSTANTIATE_TEST_SUITE_P(servers, write_once, testing::ValuesIn(server_flavours()), [](const auto& instance) {
    return instance.param;
});

} // namespace
} // namespace leat::tests
