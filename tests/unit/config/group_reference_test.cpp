#include "config/reference.hpp"
#include "config/run_file.hpp"
#include "group_sample.hpp"
#include "reading.hpp"

namespace leat::config {

using testing::HasSubstr;
using testing::IsEmpty;

namespace {

const spec<courier_settings> courier = make_courier();

} // namespace

TEST(reference_page, has_a_row_for_a_group_and_for_each_setting_in_it) {
    auto page = reference_page(courier);
    for (const auto* expected :
         {"| `retry` | map of settings | not set |  | What is done about a timeout. |\n"
          "| `retry.attempts` | whole number | `3` | 1 to 100 | Deliveries in all. |\n"
          "| `retry.first` | duration | `1.0` s | 0 to 86400 s | Time before the second. |\n",
          "| `retry.alarm` | map of settings | not set |  | Who is told. |\n"
          "| `retry.alarm.to` | text | required | not empty | Name. |\n",
          "- `retry`: No effect without `serviceNamespace`.\n", "- `limit`: No effect without `retry`.\n",
          "- `retry.alarm`: No effect without `retry.dead`.\n", "- `retry.alarm.token`: Never shown.\n"}) {
        EXPECT_THAT(page, HasSubstr(expected));
    }
}

TEST(reference_page, shows_groups_in_the_example_of_every_setting) {
    auto page = reference_page(courier);
    auto start = page.find("### Every setting\n\n```yaml\n") + 27;
    auto text = page.substr(start, page.find("```", start) - start);
    EXPECT_THAT(
        text, HasSubstr("retry:\n  attempts: 3\n  first: 1.0\n  jitter: true\n  only: []\n  dead: dead\n"
                        "  alarm:\n    to: ops\n    token: \"\"\n"));
    problems found;
    auto full = read_props(*yaml(text).tree, "f.yaml", courier, found);
    ASSERT_TRUE(full);
    courier.lint(full->settings, found);
    EXPECT_THAT(lines_of(found), IsEmpty());
}

TEST(json_schema, has_a_group_as_an_object_or_a_switch) {
    auto schema = *read(syntax::json, json_schema(courier)).tree;
    const auto& retry = *schema.find("properties")->find("retry");
    EXPECT_EQ(to_json(*retry.find("description"), 0), R"("What is done about a timeout.")");
    EXPECT_EQ(retry.find("default"), nullptr);
    const auto& ways = retry.find("anyOf")->items();
    ASSERT_EQ(ways.size(), 3U);
    EXPECT_EQ(to_json(*ways[0].find("type"), 0), R"("object")");
    EXPECT_EQ(to_json(*ways[0].find("additionalProperties"), 0), "false");
    EXPECT_EQ(
        to_json(*ways[0].find("properties")->find("attempts"), 0),
        R"({"description":"Deliveries in all.","default":3,"anyOf":[{"type":"integer","minimum":1,"maximum":100},)"
        R"({"type":"string","pattern":"\\$\\{"}]})");
    EXPECT_EQ(to_json(ways[1], 0), R"({"type":["boolean","null"]})");
    EXPECT_EQ(to_json(ways[2], 0), R"({"type":"string","pattern":"\\$\\{"})");
    // `true` would leave out what is required.
    const auto& alarm = ways[0].find("properties")->find("alarm")->find("anyOf")->items();
    EXPECT_EQ(to_json(*alarm[0].find("required"), 0), R"(["to"])");
    EXPECT_EQ(to_json(alarm[1], 0), R"({"enum":[false,null]})");
}

} // namespace leat::config
