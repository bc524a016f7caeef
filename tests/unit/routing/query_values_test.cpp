#include "routing/query_values.hpp"

#include <boost/json/serialize.hpp>

#include <gtest/gtest.h>

namespace leat::routing {
namespace {

using redis::node;
constexpr auto group = node::type::group;
constexpr auto text = node::type::text;
constexpr auto whole = node::type::whole;

std::string json(const std::vector<node>& nodes, bool is_map = false, bool as_text = true) {
    return boost::json::serialize(to_json({nodes}, is_map, as_text));
}

TEST(to_json, scalars) {
    EXPECT_EQ(json({{node::type::null, 0, ""}}), "null");
    EXPECT_EQ(json({{whole, 0, "-9223372036854775808"}}), "-9223372036854775808");
    EXPECT_EQ(json({{text, 0, "grüße \"\\ \x01"}}), R"("grüße \"\\ \u0001")");
    EXPECT_EQ(json({{text, 0, "1.5"}}), R"("1.5")");
    EXPECT_EQ(json({{text, 0, ""}}), R"("")");
    EXPECT_EQ(json({}), "null");
    EXPECT_EQ(json({{whole, 0, "99999999999999999999"}}), R"("99999999999999999999")");
}

TEST(to_json, lists) {
    EXPECT_EQ(json({{group, 0, ""}}), "[]");
    EXPECT_EQ(json({{group, 0, ""}, {text, 1, "a"}, {node::type::null, 1, ""}, {whole, 1, "3"}}), R"(["a",null,3])");
    EXPECT_EQ(
        json(
            {{group, 0, ""}, // of a stream
             {group, 1, ""},
             {text, 2, "1-0"},
             {group, 2, ""},
             {text, 3, "f"},
             {text, 3, "v"},
             {group, 1, ""},
             {text, 2, "2-0"},
             {group, 2, ""}}),
        R"([["1-0",["f","v"]],["2-0",[]]])");
}

TEST(to_json, maps) {
    std::vector<node> pairs{{group, 0, ""}, {text, 1, "b"}, {text, 1, "1"}, {text, 1, "a"}, {text, 1, "2"}};
    EXPECT_EQ(json(pairs, true), R"({"b":"1","a":"2"})");
    EXPECT_EQ(json({{group, 0, ""}}, true), "{}");
    EXPECT_EQ(json({{group, 0, ""}, {text, 1, "odd"}}, true), R"({"odd":null})");
    EXPECT_EQ(json({{text, 0, "no map"}}, true), R"("no map")");
}

TEST(to_json, bytes_are_base64_all_of_them) {
    std::vector<node> pairs{{group, 0, ""}, {text, 1, "f"}, {text, 1, "\xff\xfe"}, {text, 1, "g"}, {whole, 1, "5"}};
    EXPECT_FALSE(is_text({pairs}));
    EXPECT_EQ(json(pairs, true, false), R"({"Zg==":"//4=","Zw==":5})");
    EXPECT_TRUE(is_text({{{text, 0, "grüße"}}}));
    EXPECT_FALSE(is_text({{{text, 0, "\xc3"}}}));
}

} // namespace
} // namespace leat::routing
