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

} // namespace
} // namespace leat::message
