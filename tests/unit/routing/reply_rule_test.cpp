#include "routing/reply_rule.hpp"

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const taking::own_keys own{{"queries", "queries:dead"}, {"queries:pending:"}};

reply_rule rule(std::optional<std::string> reply = {}, std::vector<std::string> prefixes = {}) {
    return {"queries", std::move(reply), std::move(prefixes), own};
}

TEST(reply_rule, a_message_may_name_a_list_below_the_queue) {
    for (const auto* named : {"queries:reply:1", "queries:reply:a:b", "queries:reply: "}) {
        auto found = rule().list_for(named);
        ASSERT_TRUE(found) << named;
        EXPECT_EQ(found->list, named);
        EXPECT_TRUE(found->by_message);
    }
}

TEST(reply_rule, it_may_name_no_other) {
    for (const auto* named :
         {"session:alice", "queries:reply:", "queries:reply", "queries:replying", "QUERIES:REPLY:1",
          "other:queries:reply:1", " queries:reply:1", "exec:in"}) {
        auto found = rule("answers").list_for(named);
        ASSERT_FALSE(found) << named;
        EXPECT_EQ(
            found.error().text, "meta.reply names `" + std::string{named} +
                                    "`, which is neither `reply` nor below `queries:reply:`; the setting replyPrefixes "
                                    "allows other lists");
    }
    EXPECT_THAT(rule().list_for("x").error().text, HasSubstr("`x`, which is not below `queries:reply:`; the setting"));
}

TEST(reply_rule, the_list_of_the_settings_is_for_all_others) {
    auto found = rule("answers").list_for("");
    EXPECT_EQ(found->list, "answers");
    EXPECT_FALSE(found->by_message);
    EXPECT_THAT(rule().list_for("").error().text, HasSubstr("no list for the answer"));
}

TEST(reply_rule, a_message_may_name_the_list_of_the_settings) {
    for (const auto& each : {rule("answers"), rule("answers", {"client:"})}) {
        auto found = each.list_for("answers");
        ASSERT_TRUE(found);
        EXPECT_FALSE(found->by_message); // a wrong type there waits for repair, and costs no message
    }
    EXPECT_FALSE(rule("answers").list_for("answers:1"));
}

TEST(reply_rule, prefixes_take_the_place_of_the_default) {
    auto given = rule("answers", {"client:", "to:b"});
    EXPECT_TRUE(given.list_for("client:1"));
    EXPECT_TRUE(given.list_for("to:b"));
    EXPECT_TRUE(given.list_for("to:bee"));
    EXPECT_THAT(given.list_for("queries:reply:1").error().text, EndsWith("with none of the setting replyPrefixes"));
    EXPECT_FALSE(given.list_for("to:a"));
}

TEST(reply_rule, nothing_may_name_what_the_service_lives_on) {
    for (const auto* named : {"queries", "queries:dead", "queries:pending:1"}) {
        EXPECT_THAT(rule({}, {"queries"}).list_for(named).error().text, HasSubstr("lives on")) << named;
    }
}

TEST(reply_rule, a_refusal_can_be_printed) {
    auto text = rule().list_for("a\x1b[2J\n" + std::string(100'000, 'x')).error().text;
    EXPECT_LT(text.size(), 500U);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

} // namespace
} // namespace leat::routing
