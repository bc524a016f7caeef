#include "config/value.hpp"

#include <gtest/gtest.h>

namespace leat::config {

TEST(position, is_told_with_line_and_column_only_when_it_has_them) {
    EXPECT_EQ(to_string(position{"file", 3, 5}), "file:3:5");
    EXPECT_EQ(to_string(position{"--popTimeout"}), "--popTimeout");
}

TEST(plain_scalar, is_typed_by_its_look) {
    using enum value_shape;
    const std::pair<const char*, value_shape> cases[] = {
        {"", null},
        {"~", null},
        {"null", null},
        {"true", boolean},
        {"false", boolean},
        {"True", text},
        {"yes", text},
        {"off", text},
        {"5", whole},
        {"-5", whole},
        {"+5", whole},
        {"007", whole},
        {"0x10", text},
        {"1_000", text},
        {"5.5", number},
        {".5", number},
        {"5.", number},
        {"1e3", number},
        {".", text},
        {"-", text},
        {"e5", text},
        {"1e", text},
        {".inf", text},
        {".nan", text},
        {"1.2.3", text},
        {"1e999", text},
        {"5 s", text},
        {"+-5", text},
        {"12:30", text},
        {"9223372036854775807", whole},
        {"9223372036854775808", number},
    };
    for (const auto& [raw, shape] : cases) {
        EXPECT_EQ(value::of_plain(raw).shape(), shape) << raw;
    }
}

TEST(plain_scalar, can_be_read_as_the_text_it_was) {
    EXPECT_EQ(value::of_plain("007").to_text(), "007");
    EXPECT_EQ(value::of_plain("007").to_whole(), 7);
    EXPECT_EQ(value::of_plain("true").to_text(), "true");
    EXPECT_EQ(value::of_plain("null").to_text(), std::nullopt);
}

TEST(exact_scalar, is_only_what_it_is) {
    EXPECT_EQ(value::of_text("5").to_whole(), std::nullopt);
    EXPECT_EQ(value::of_text("true").to_boolean(), std::nullopt);
    EXPECT_EQ(value::of_whole(5).to_text(), std::nullopt);
    EXPECT_EQ(value::of_whole(5).to_number(), 5.0);
    EXPECT_EQ(value::of_number(5.0).to_whole(), 5);
    EXPECT_EQ(value::of_number(5.5).to_whole(), std::nullopt);
    EXPECT_EQ(value::of_number(1e300).to_whole(), std::nullopt);
}

TEST(loose_text, can_be_read_as_any_scalar) {
    auto loose = [](const char* text) { return value::of_text(text, {}, scalar_style::loose); };
    EXPECT_EQ(loose("5").to_whole(), 5);
    EXPECT_EQ(loose("5").to_text(), "5");
    EXPECT_EQ(loose("0.5").to_number(), 0.5);
    EXPECT_EQ(loose("true").to_boolean(), true);
    EXPECT_EQ(loose("yes").to_boolean(), std::nullopt);
    EXPECT_EQ(loose("").to_whole(), std::nullopt);
}

TEST(map_value, finds_sets_replaces_and_erases_in_order) {
    value map;
    map.set("a", value::of_whole(1));
    map.set("b", value::of_whole(2, {"f", 1, 2}));
    map.set("a", value::of_whole(3, {"f", 4, 5}));
    ASSERT_EQ(map.entries().size(), 2U);
    EXPECT_EQ(map.entries()[0].key, "a");
    EXPECT_EQ(map.entries()[0].key_position, (position{"f", 4, 5}));
    EXPECT_EQ(map.find("a")->whole(), 3);
    map.erase("a");
    EXPECT_EQ(map.find("a"), nullptr);
    EXPECT_EQ(value::of_whole(1).find("a"), nullptr);
}

TEST(description, is_one_short_line) {
    EXPECT_EQ(describe(value::null()), "nothing");
    EXPECT_EQ(describe(value::of_plain("5.50")), "5.50");
    EXPECT_EQ(describe(value::of_text("a\nb")), "text \"a\\x0ab\"");
    EXPECT_EQ(describe(value::of_list()), "a list");
    EXPECT_EQ(describe(value::of_map()), "a map");
    EXPECT_LT(describe(value::of_text(std::string(5000, 'x'))).size(), 80U);
}

} // namespace leat::config
