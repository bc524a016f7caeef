#include "message/raw_json.hpp"

#include <gtest/gtest.h>

namespace leat::message {
namespace {

TEST(raw_json, a_member_as_it_was_written) {
    std::string_view object = R"( { "a" : 1.10 , "b":"x\"}" ,"c":[1, {"d":"]"}],"d":{},"a b":null,"e":true} )";
    EXPECT_EQ(raw_member(object, "a"), "1.10");
    EXPECT_EQ(raw_member(object, "b"), R"("x\"}")");
    EXPECT_EQ(raw_member(object, "c"), R"([1, {"d":"]"}])");
    EXPECT_EQ(raw_member(object, "d"), "{}");
    EXPECT_EQ(raw_member(object, "a b"), "null");
    EXPECT_EQ(raw_member(object, "e"), "true");
    EXPECT_EQ(raw_member(object, "f"), "");
    EXPECT_EQ(raw_member(R"({"a":1,"a":2})", "a"), "2");
}

TEST(raw_json, what_is_no_object_has_no_members_and_does_no_harm) {
    for (const auto* each : {"", "{", "{}", "[1]", "{\"", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":[", "\\", "{\"a\\"}) {
        EXPECT_EQ(raw_member(each, "b"), "") << each;
    }
}

TEST(raw_json, deeper_than_the_parser_alone_would_go) {
    boost::system::error_code wrong;
    parse_json(std::string(400, '[') + std::string(400, ']'), wrong);
    EXPECT_FALSE(wrong);
    parse_json(std::string(100'000, '['), wrong);
    EXPECT_TRUE(wrong);
}

TEST(raw_json, the_outline_of_a_large_object_has_its_small_members) {
    auto numbers = "[" + std::string(1 << 20, ' ') + "1]";
    auto text = R"( {"a":1,"\u0062":"two","long":)" + numbers + R"(,"\u006cang":)" + numbers + R"(,"a":3} )";
    boost::system::error_code wrong;
    auto outline = parse_outline(text, wrong);
    ASSERT_FALSE(wrong) << wrong.message();
    const auto& map = outline.as_object();
    EXPECT_EQ(map.at("a").as_int64(), 3) << "the last, as the parser has it";
    EXPECT_EQ(map.at("b").as_string(), "two");
    EXPECT_TRUE(map.at("long").is_null());
    EXPECT_EQ(raw_member(text, "long"), numbers);
    EXPECT_TRUE(map.at("lang").is_array()) << "raw_member does not find it";
}

TEST(raw_json, the_outline_of_what_is_no_json_is_an_error) {
    std::string many(2 << 20, '1');
    for (const auto& each :
         {R"({"a":)" + many, R"({"a":")" + many + "\xff\"}", R"({"a":)" + many + "}}", R"({"a":[)" + many + ",]}",
          "{" + many}) {
        boost::system::error_code wrong;
        parse_outline(each, wrong);
        EXPECT_TRUE(wrong) << each.substr(0, 10);
    }
    boost::system::error_code wrong;
    EXPECT_TRUE(parse_outline("[" + many.substr(0, 10) + "]", wrong).is_array());
    EXPECT_EQ(parse_outline("{\"a\":[1]}", wrong).as_object().at("a").as_array().size(), 1U);
    EXPECT_FALSE(wrong);
}

} // namespace
} // namespace leat::message
