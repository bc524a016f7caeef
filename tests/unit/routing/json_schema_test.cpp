#include "routing/json_schema.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

using boost::json::parse;
using testing::HasSubstr;

TEST(json_schema, allows_and_refuses_with_the_place) {
    auto schema = json_schema::read(parse(
        R"({"type":"object","required":["sku"],"properties":{"sku":{"type":"string","pattern":"^[A-Z]+$"},
            "lines":{"type":"array","items":{"type":"integer"}}}})"));
    ASSERT_TRUE(schema);
    EXPECT_FALSE((*schema)->check(parse(R"({"sku":"ABC","lines":[1,2]})")));
    EXPECT_THAT((*schema)->check(parse(R"({"sku":"ABC","lines":[1,"2"]})")).value(), HasSubstr("lines.1: "));
    EXPECT_THAT((*schema)->check(parse(R"({"sku":"abc"})")).value(), HasSubstr("sku: "));
    EXPECT_TRUE((*schema)->check(parse("{}")));
    EXPECT_TRUE((*schema)->check(parse("[]")));
}

TEST(json_schema, a_text_that_explodes_elsewhere_takes_no_time) {
    auto schema = json_schema::read(parse(R"_({"pattern":"^(a+)+$","format":"date"})_"));
    EXPECT_TRUE((*schema)->check(boost::json::value{std::string(100'000, 'a') + "b"}));
    EXPECT_FALSE((*schema)->check(boost::json::value{std::string(1'000'000, 'a')}));
}

TEST(json_schema, what_cannot_be_read_is_told) {
    EXPECT_THAT(json_schema::read(parse(R"_({"pattern":"(?=a)"})_")).error().text, HasSubstr("(?=a)"));
    EXPECT_TRUE(json_schema::read(parse(R"_({"patternProperties":{"(":{}}})_")).has_error());
    EXPECT_TRUE(json_schema::read(parse(R"({"$ref":"http://example.com/other"})")).has_error());
    EXPECT_TRUE(json_schema::read(parse(R"({"type":5})")).has_error());
    for (const auto* round :
         {R"({"$ref":"#"})", R"({"$ref":"other"})", R"({"$ref":"#/a","a":{"$ref":"#/b"},"b":{"$ref":"#/a"}})",
          R"({"$ref":"#/none"})", R"({"$ref":"#anchor"})"}) {
        EXPECT_TRUE(json_schema::read(parse(round)).has_error()) << round;
    }
}

TEST(json_schema, a_tree_may_refer_to_itself) {
    auto schema =
        json_schema::read(parse(R"({"type":"object","properties":{"child":{"$ref":"#"},"n":{"$ref":"#/definitions/n"}},
                  "definitions":{"n":{"type":"integer"}}})"));
    ASSERT_TRUE(schema) << schema.error().text;
    EXPECT_FALSE((*schema)->check(parse(R"({"child":{"child":{"n":1}}})")));
    EXPECT_TRUE((*schema)->check(parse(R"({"child":{"child":{"n":"x"}}})")));
}

} // namespace
} // namespace leat::routing
