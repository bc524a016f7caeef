#include "message/base64.hpp"
#include "routing/query_message.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

using testing::HasSubstr;

const query_rules rules{.prefixes = {"a:"}};
const boost::json::object result{{"values", {{"x", 1}}}};

TEST(read_asked, a_query_alone) {
    auto asked = read_asked(R"({"commands":[{"command":"get a:1","save":"x"}]})", rules);
    ASSERT_TRUE(asked.plan);
    EXPECT_EQ(asked.by.reply, "");
    EXPECT_EQ(write_result(asked, result), R"({"values":{"x":1}})");
    EXPECT_EQ(
        write_fault(asked, {query_faults::timeout, "too \"late\""}),
        R"({"error":{"name":"Timeout","message":"too \"late\""}})");
}

TEST(read_asked, a_query_says_who_it_is_and_where_the_answer_goes) {
    auto asked = read_asked(R"({"meta":{"id":"q1","reply":"r"},"commands":[{"command":"get a:1","save":"x"}]})", rules);
    ASSERT_TRUE(asked.plan);
    EXPECT_EQ(asked.by.reply, "r");
    EXPECT_EQ(write_result(asked, result), R"({"meta":{"id":"q1"},"values":{"x":1}})");
    EXPECT_EQ(
        write_fault(asked, {query_faults::timeout, "late"}),
        R"({"meta":{"id":"q1"},"error":{"name":"Timeout","message":"late"}})");
}

TEST(read_asked, a_request_is_answered_as_one) {
    std::string query = R"({"commands":[{"command":"get a:1"}]})";
    std::string opening = R"({"meta":{"id":7,"reply":"r"},)";
    auto as_map = opening + R"("body":)" + query + "}";
    auto as_bytes = opening + R"("encoding":"base64","body":")" + message::to_base64(query) + R"("})";
    auto as_text = message::write({.id = "7", .deadline = 1, .reply = "r", .trace_parent = "", .body = query});
    for (const auto* each : {&as_map, &as_bytes, &as_text}) {
        auto asked = read_asked(*each, rules);
        ASSERT_TRUE(asked.plan) << *each << asked.plan.error().message;
        EXPECT_EQ(asked.by.reply, "r");
        auto answer = write_result(asked, result);
        EXPECT_EQ(answer, R"({"meta":{"id":"7"},"body":{"values":{"x":1}}})");
        EXPECT_EQ(message::read_answer(answer)->body, R"({"values":{"x":1}})");
    }
}

TEST(read_asked, an_error_in_a_request_can_be_read_as_one) {
    auto asked = read_asked(R"({"meta":{"id":"7"},"body":"{"})", rules);
    ASSERT_FALSE(asked.plan);
    EXPECT_THAT(asked.plan.error().message, HasSubstr("the body is not JSON at byte 1"));
    EXPECT_TRUE(message::read_answer(write_fault(asked, asked.plan.error()))->error);
    EXPECT_FALSE(read_asked(R"({"body":"*","encoding":"base64"})", rules).plan);
}

TEST(read_asked, whatever_the_bytes) {
    std::string deep(100'000, '[');
    for (const auto& each :
         {std::string{}, std::string{"\0", 1}, std::string{"\xff\xfe"}, std::string{"{"}, std::string{"[]"},
          std::string{"null"}, deep, R"({"meta":)" + deep, std::string{R"({"meta":5,"commands":5})"}}) {
        auto asked = read_asked(each, {.prefixes = {"a:"}, .max_bytes = 1 << 20});
        ASSERT_FALSE(asked.plan);
        EXPECT_EQ(asked.plan.error().name, "BadQuery");
        EXPECT_NO_THROW(boost::json::parse(write_fault(asked, asked.plan.error())));
    }
}

TEST(read_asked, a_query_that_is_too_large_still_says_who_it_is) {
    auto query = R"({"meta":{"id":"big"},"x":")" + std::string(70'000, 'x') + R"("})";
    auto asked = read_asked(query, rules);
    EXPECT_EQ(asked.by.id, "big");
    EXPECT_EQ(asked.plan.error().name, "TooLarge");
    asked = read_asked(R"({"meta":{"id":"huge"},"x":")" + std::string(longest_query, 'x') + R"("})", rules);
    EXPECT_EQ(asked.by.id, ""); // not even read
    EXPECT_EQ(asked.plan.error().name, "TooLarge");
}

} // namespace
} // namespace leat::routing
