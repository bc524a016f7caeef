#include "store/return_pending.hpp"
#include "support/script_case.hpp"

#include <gmock/gmock.h>

namespace leat::tests {
namespace {

using testing::HasSubstr;
using texts = std::vector<std::string>;

class return_pending : public testing::TestWithParam<std::string> {
protected:
    answer_of<store::return_pending_call> call(
        client& as, std::int64_t max_count = 100, std::int64_t max_bytes = 1000) {
        store::return_pending_call given{
            .pending = "pending", .source = "in", .max_count = max_count, .max_bytes = max_bytes};
        return run_verb(as, std::move(given));
    }
    texts list(const std::string& key) { return redis.call({"LRANGE", key, "0", "-1"}).texts(); }

    private_server server{GetParam()};
    client redis = server.connect();
};

TEST_P(return_pending, the_oldest_is_next_again) {
    redis.call({"LPUSH", "pending", "1", "2", "3"});
    redis.call({"LPUSH", "in", "4", "5"});
    auto returned = call(redis);
    EXPECT_EQ(returned->moved, 3);
    EXPECT_EQ(returned->left, 0);
    EXPECT_EQ(list("in"), (texts{"5", "4", "3", "2", "1"}));
    EXPECT_EQ(redis.call({"EXISTS", "pending"}).whole, 0);
}

TEST_P(return_pending, stops_at_the_bounds_and_goes_on_in_order) {
    redis.call({"LPUSH", "pending", "1", "2", "3", "4"});
    EXPECT_EQ(call(redis, 1)->left, 3);
    EXPECT_EQ(call(redis, 100, 2)->moved, 2);
    EXPECT_EQ(call(redis, 0)->left, 1); // only counts
    call(redis);
    EXPECT_EQ(list("in"), (texts{"4", "3", "2", "1"}));
}

TEST_P(return_pending, nothing_there_is_nothing_done) {
    auto returned = call(redis);
    EXPECT_EQ(returned->moved, 0);
    EXPECT_EQ(redis.call({"DBSIZE"}).whole, 0);
}

TEST_P(return_pending, a_wrong_type_is_named_and_nothing_changes) {
    for (const std::string wrong : {"pending", "in"}) {
        redis.call({"FLUSHALL"});
        redis.call({"LPUSH", wrong == "in" ? "pending" : "in", "1"});
        redis.call({"SET", wrong, "text"});
        auto before = redis.keyspace();
        auto refused = call(redis);
        EXPECT_THAT(refused.text, HasSubstr("WRONGTYPE"));
        EXPECT_THAT(refused.text, HasSubstr("key=" + wrong));
        EXPECT_EQ(redis.keyspace(), before);
    }
}

TEST_P(return_pending, a_missing_right_changes_nothing) {
    redis.call({"LPUSH", "pending", "1"});
    redis.call({"ACL", "SETUSER", "some", "on", "nopass", "+@all", "-lmove", "~*"});
    auto before = redis.keyspace();
    auto other = server.connect();
    other.call({"AUTH", "some", "x"});
    EXPECT_TRUE(call(other).failed());
    EXPECT_EQ(redis.keyspace(), before);
}

INSTANTIATE_TEST_SUITE_P(servers, return_pending, testing::ValuesIn(server_flavours()), [](const auto& instance) {
    return instance.param;
});

} // namespace
} // namespace leat::tests
