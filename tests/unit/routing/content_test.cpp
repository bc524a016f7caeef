#include "routing/content.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

TEST(content, text_stays_as_it_is) {
    std::string bytes{"{ \"a\" : 1 }\xff\x00", 13};
    content message{bytes};
    EXPECT_EQ(message.text(), bytes);
    EXPECT_EQ(message.json(), nullptr);
    EXPECT_EQ(message.text(), bytes);
}

TEST(content, json_is_read_when_it_is_asked_for) {
    content message{std::string{" {\"a\": [1, \"x\"]}\n"}};
    ASSERT_NE(message.json(), nullptr);
    EXPECT_EQ(message.json()->at("a").at(0).as_int64(), 1);
    EXPECT_EQ(message.text(), " {\"a\": [1, \"x\"]}\n");
    auto copy = message; // NOLINT(performance-unnecessary-copy-initialization): that a copy can be read is the test
    EXPECT_EQ(copy.json()->at("a").at(1).as_string(), "x");
}

TEST(content, says_where_it_is_no_json) {
    std::string why;
    EXPECT_EQ(content{std::string{"{\"a\": x}"}}.json(&why), nullptr);
    EXPECT_THAT(why, testing::HasSubstr("not JSON at byte 6"));
    for (const auto* wrong : {"", " ", "{", "1 2", "{} x", "'a'", "\xff"}) {
        EXPECT_EQ(content{std::string{wrong}}.json(&why), nullptr) << wrong;
    }
}

TEST(content, a_json_text_goes_into_a_list_without_quotes) {
    EXPECT_EQ(content{boost::json::value{"text"}}.text(), "text");
    EXPECT_EQ(content{boost::json::value{5}}.text(), "5");
    EXPECT_EQ((content{boost::json::parse("[1, null]")}.text()), "[1,null]");
    EXPECT_TRUE(content{boost::json::value{}}.is_null());
}

} // namespace
} // namespace leat::routing
