#include "base/unicode.hpp"
#include "config/write.hpp"
#include "reading.hpp"

#include <spdlog/fmt/fmt.h>

namespace leat::config {

namespace {

// What is written in a syntax must read back the same, wherever it came from.
void expect_round_trip(const value& content) {
    auto again = yaml(to_yaml(content));
    ASSERT_TRUE(again.tree) << to_yaml(content) << testing::PrintToString(again.lines);
    EXPECT_TRUE(same_content(*again.tree, content)) << to_yaml(content) << again.json();
}

} // namespace

TEST(yaml_writer, writes_blocks) {
    auto content = yaml("{a: 1, b: [x, {c: d, e: []}, [1, [2]]], f: {g: {h: ~}}, i: {}, j: 0.5, k: 'true'}").tree;
    EXPECT_EQ(
        to_yaml(*content), "a: 1\n"
                           "b:\n"
                           "  - x\n"
                           "  - c: d\n"
                           "    e: []\n"
                           "  - - 1\n"
                           "    - - 2\n"
                           "f:\n"
                           "  g:\n"
                           "    h: null\n"
                           "i: {}\n"
                           "j: 0.5\n"
                           "k: \"true\"\n");
    expect_round_trip(*content);
    expect_round_trip(value::of_list());
    expect_round_trip(value{});
}

TEST(yaml_writer, quotes_what_would_read_back_as_something_else) {
    for (std::string text :
         {"",
          " ",
          "a",
          "a ",
          " a",
          "5",
          "-5",
          "0.5",
          "true",
          "no",
          "~",
          "null",
          "a: b",
          "a:",
          ":a",
          "a #b",
          "#a",
          "a#b",
          "- a",
          "-",
          "?",
          "? a",
          "[a]",
          "{a}",
          "a, b",
          "&a",
          "*a",
          "!a",
          "|",
          ">",
          "%a",
          "@a",
          "`a",
          "'",
          "\"",
          "\\",
          "a'b",
          "a\nb",
          "\n",
          "a\n",
          "\ta",
          "a\tb",
          "\r",
          "\x01\x1b\x7f",
          "ä😀",
          "\xEF\xBB\xBF",
          "\xE2\x80\xA8",
          "\xC2\x85",
          "${A}",
          "${A:b}",
          "${{A}}",
          "${",
          "a${",
          "${a ${B}",
          "${A}}}",
          "$${A}",
          "${}",
          "$",
          "---",
          "...",
          "--- a",
          "<<",
          "demo:mpush:in",
          "redis://u:p@h:6379/0?a=b",
          "/tmp/x",
          "2024-01-01",
          "1:30",
          "0x10",
          ".5",
          "=",
          "y",
          "a  b",
          "key: 'x",
          "{{x}}",
          "9223372036854775808",
          "1e5",
          "é"}) {
        expect_round_trip(value::of_text(text));
        auto map = value::of_map();
        map.set("k", value::of_list({value::of_text(text), value::of_text(text)}));
        expect_round_trip(map);
        auto keyed = value::of_map();
        keyed.set(text, value::of_map());
        keyed.set("z", value::of_text(text));
        expect_round_trip(keyed);
    }
    expect_round_trip(value::of_text(std::string(5000, 'k')));
    expect_round_trip(value::of_text(std::string("a\0b", 3)));
}

TEST(yaml_writer, keeps_numbers) {
    for (double number : {0.1, -0.5, 5.0, 1e300, 1e-7, 123456789.125, 1.7976931348623157e308}) {
        expect_round_trip(value::of_number(number));
    }
    expect_round_trip(value::of_whole(INT64_MIN));
    expect_round_trip(value::of_whole(INT64_MAX));
    EXPECT_EQ(to_yaml(*yaml("a: 007").tree), "a: 007\n");
}

TEST(json_writer, writes_with_and_without_indent) {
    auto content = yaml("a: [1, x]\nb: {}\nc: []\nd: {e: ~}\n").tree;
    EXPECT_EQ(to_json(*content, 0), R"({"a":[1,"x"],"b":{},"c":[],"d":{"e":null}})");
    EXPECT_EQ(
        to_json(*content), "{\n  \"a\": [\n    1,\n    \"x\"\n  ],\n  \"b\": {},\n  \"c\": [],\n  \"d\": {\n"
                           "    \"e\": null\n  }\n}");
}

// Whatever a terminal would obey: C1 controls, DEL, and what turns the direction of writing.
TEST(json_writer, writes_no_orders_for_a_terminal) {
    std::vector<char32_t> orders{0x7f, 0x61c, 0x200e, 0x200f};
    for (char32_t first : {0x80U, 0x90U, 0x202aU, 0x2066U}) {
        for (char32_t each = first; each < first + (first < 0x100 ? 16 : first == 0x202a ? 5 : 4); ++each) {
            orders.push_back(each);
        }
    }
    for (auto each : orders) {
        std::string text = "a";
        base::append_utf8(text, each);
        auto json = to_json(value::of_text(text + "z"));
        EXPECT_EQ(json, fmt::format("\"a\\u{:04x}z\"", static_cast<unsigned>(each)));
        EXPECT_EQ(read(syntax::json, json).tree->text(), text + "z");
        auto map = value::of_map();
        map.set(text, value::of_whole(1));
        EXPECT_EQ(to_json(map, 0), fmt::format("{{\"a\\u{:04x}\":1}}", static_cast<unsigned>(each)));
        auto lines = to_yaml(value::of_text(text));
        EXPECT_EQ(lines.find(text), std::string::npos) << lines;
        EXPECT_EQ(yaml(lines).tree->text(), text);
    }
    auto harmless = value::of_text("äß€\u00a0\u2028\u200d漢😀");
    EXPECT_EQ(to_json(harmless), "\"" + harmless.text() + "\"");
}

TEST(json_writer, escapes_and_reads_back) {
    auto content = value::of_text("\"\\\b\f\n\r\t\x01\x7fä😀/");
    EXPECT_EQ(to_json(content), R"("\"\\\b\f\n\r\t\u0001\u007fä😀/")");
    EXPECT_EQ(read(syntax::json, to_json(content)).tree->text(), content.text());
    EXPECT_EQ(to_json(value::of_text("a\xFF")), R"("a\ufffd")");
    EXPECT_EQ(to_json(value::of_number(5)), "5.0");
}

TEST(inspection, prints_a_config_as_a_block) {
    auto content = yaml("redis: redis://localhost:6379/0\nin: demo:mpush:in\npopTimeout: 10\n"
                        "out: ['demo:mpush:out0', 'demo:mpush:out1']\n")
                       .tree;
    EXPECT_EQ(
        inspect(*content), "{\n"
                           "      redis: 'redis://localhost:6379/0',\n"
                           "      in: 'demo:mpush:in',\n"
                           "      popTimeout: 10,\n"
                           "      out: [ 'demo:mpush:out0', 'demo:mpush:out1' ] }");
    EXPECT_EQ(inspect(value::of_map()), "{}");
}

TEST(inspection, prints_on_one_line_with_escapes) {
    EXPECT_EQ(inspect_line(*yaml("host: eowyn\npid: 19897\n").tree), "{ host: 'eowyn', pid: 19897 }");
    EXPECT_EQ(
        inspect_line(*yaml("{a-b: \"it's\\n\\e\\\\\", 'c': [], d: {}, e: ~, f: 0.5, g: true, h: [{i: 1}]}").tree),
        R"({ 'a-b': 'it\'s\n\x1B\\', c: [], d: {}, e: null, f: 0.5, g: true, h: [ { i: 1 } ] })");
}

} // namespace leat::config
