#include "config/interpolate.hpp"
#include "reading.hpp"

namespace leat::config {

using testing::ElementsAre;

TEST(interpolation, resolves_variables_once) {
    auto env = variables({{"A", "x"}, {"B_2", "${A}"}, {"EMPTY", ""}});
    const std::pair<const char*, const char*> cases[] = {
        {"${A}", "x"},
        {"<${A}${A}>", "<xx>"},
        {"${B_2}", "${A}"},
        {"${EMPTY}", ""},
        {"${EMPTY:y}", ""},
        {"${NO:}", ""},
        {"${NO:a:b}", "a:b"},
        {"${A:y}", "x"},
        {"${{A}}", "${A}"},
        {"${{A}}}", "${A}}"},
        {"${{A:b}}${A}", "${A:b}x"},
        {"$A $ {A}", "$A $ {A}"},
        {"${NO:redis://h}", "redis://h"},
    };
    for (const auto& [text, expected] : cases) {
        problems found;
        EXPECT_EQ(interpolated(text, {}, scalar_style::exact, env, found).text(), expected) << text;
        EXPECT_TRUE(found.empty()) << text;
    }
}

TEST(interpolation, makes_loose_text_only_where_a_variable_came_in) {
    problems found;
    auto env = variables({{"N", "5"}});
    EXPECT_EQ(interpolated("${N}", {}, scalar_style::exact, env, found).to_whole(), 5);
    EXPECT_EQ(interpolated("1${N}", {}, scalar_style::plain, env, found).to_whole(), 15);
    EXPECT_EQ(interpolated("5", {}, scalar_style::exact, env, found).to_whole(), std::nullopt);
    EXPECT_EQ(interpolated("${{N}}", {}, scalar_style::exact, env, found).style(), scalar_style::exact);
}

TEST(interpolation, tells_what_it_cannot_resolve_without_the_text) {
    auto env = variables({{"BAD", "\xFF"}});
    EXPECT_THAT(
        yaml("a: 1\nb: p${NO}q\n", env).lines,
        ElementsAre("f.yaml:2:4: error: environment variable NO is not set, and ${NO} has no default"));
    for (const auto* text : {"a: '${}'", "a: '${1A}'", "a: '${A B}'", "a: '${:x}'", "a: '${{A}'", "a: '${A-}'"}) {
        EXPECT_THAT(
            yaml(text, env).lines,
            ElementsAre("f.yaml:1:4: error: a ${...} here does not hold the name of a variable; for a literal one "
                        "write ${{...}}"))
            << text;
    }
    EXPECT_THAT(yaml("a: ${BAD}", env).lines, ElementsAre("f.yaml:1:4: error: environment variable BAD is not UTF-8"));
    auto open = yaml("a: 'x${A'", env);
    EXPECT_EQ(open.json(), R"({"a":"x${A"})");
    EXPECT_THAT(open.lines, ElementsAre("f.yaml:1:4: warning: a ${ here has no } and is taken as it stands"));
}

TEST(interpolation, works_in_every_syntax_and_not_in_keys) {
    auto env = variables({{"A", "x"}});
    EXPECT_EQ(yaml("'${A}': ${A}\n", env).json(), R"({"${A}":"x"})");
    EXPECT_EQ(read(syntax::json, R"({"${A}": "${A}"})", env).json(), R"({"${A}":"x"})");
    EXPECT_EQ(read(syntax::js, "module.exports = {'${A}': '${A}'}", env).json(), R"({"${A}":"x"})");
}

} // namespace leat::config
