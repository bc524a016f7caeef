#include "store/message_plan.hpp"

#include <gmock/gmock.h>

namespace leat::store {
namespace {

// As it is stored: scripts of other versions read it, too.
TEST(message_plan, is_JSON_of_all_its_members) {
    message_plan plan{
        .outs = {"a", "b\"\n\xc3\xa4"},
        .await = "all",
        .attempts = 3,
        .first = 0.5,
        .factor = 2,
        .max = 100'000,
        .jitter = 0.1,
        .timeout = 10,
        .expire = 84,
        .max_length = 7,
        .dead = "dead",
        .source = "in",
        .db = 4,
        .server = "redis://there"};
    EXPECT_EQ(
        to_text(plan), "{\"outs\":[\"a\",\"b\\\"\\n\xc3\xa4\"],\"await\":\"all\",\"attempts\":3,\"first\":0.5,"
                       "\"factor\":2.0,\"max\":100000.0,\"jitter\":0.1,\"timeout\":10,\"expire\":84,\"maxLength\":7,"
                       "\"dead\":\"dead\",\"origin\":\"in\",\"db\":4,\"server\":\"redis://there\"}");
}

TEST(message_plan, of_no_outs_has_an_empty_list) {
    EXPECT_THAT(to_text({}), testing::StartsWith(R"({"outs":[],"await":"first","attempts":1,"first":0.0,)"));
}

} // namespace
} // namespace leat::store
