// What the generator makes of a script's text. That it does the same is tested by running both:
// tests/scripts/shrink_test.cpp.
#include "embed_scripts/lua_shrink.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace leat::tests {
namespace {

using embed_scripts::shrink_lua;
using testing::ElementsAre;

TEST(shrink, drops_what_is_not_used) {
    EXPECT_EQ(shrink_lua("local function f() return g() end\nlocal a, b = 1, {2}\nreturn 3"), "return 3\n");
    EXPECT_EQ(shrink_lua("local a = redis.call('GET', 'k')\nreturn 3"), "local a = redis.call('GET', 'k')\nreturn 3\n");
    EXPECT_EQ(shrink_lua("local a, b = KEYS[1], 2\nreturn b"), "local a, b = KEYS[1], 2\nreturn b\n");
}

TEST(shrink, a_literal_stands_where_its_name_did) {
    EXPECT_EQ(
        shrink_lua("local most = 5 -- or so\nreturn {most = most, other.most, most}"),
        "return {most = 5, other.most, 5}\n");
    EXPECT_EQ(shrink_lua("local n = 5\nn = n + 1\nreturn n"), "local n = 5\nn = n + 1\nreturn n\n");
    EXPECT_EQ(shrink_lua("local s = 'x'\nreturn s:upper()"), "local s = 'x'\nreturn s:upper()\n");
}

TEST(shrink, an_expression_stands_where_it_was_called) {
    EXPECT_EQ(
        shrink_lua("local function twice(n) return n * 2 end\nreturn twice(3) + twice(x)"),
        "return (3 * 2 ) + (x * 2 )\n");
    EXPECT_EQ(
        shrink_lua("local function len(k) return redis.call('LLEN', k) end\nlen(a)\nreturn len(b)"),
        "redis.call('LLEN',a)\nreturn redis.call('LLEN',b)\n");
}

TEST(shrink, an_argument_is_computed_once_and_when_it_was) {
    for (const auto* call : {"twice(f())", "either(f())", "second(f(), g())", "closure(function() return 1 end)"}) {
        auto text =
            std::string{"local function twice(n) return n + n end\nlocal function either(n) return x and n end\n"
                        "local function second(a, b) return b .. a end\nlocal function closure(c) return c end\n"
                        "h("} +
            call + ")\nh(" + call + ")\n";
        EXPECT_THAT(shrink_lua(text), testing::HasSubstr(call)) << call;
    }
}

TEST(shrink, a_name_that_means_something_else_there_keeps_a_function_apart) {
    std::string text = "local base = x\nbase = base + 1\nlocal function add(n) return base + n end\n"
                       "local function go(base) return add(base), add(1) end\nh(go(1))\nh(go(2))\n";
    EXPECT_THAT(shrink_lua(text), testing::HasSubstr("function add"));
}

TEST(shrink, a_function_that_is_called_once_stands_there) {
    EXPECT_EQ(
        shrink_lua("local function f(a, b)\nif a then\nreturn nil, b\nend\nreturn a\nend\nlocal x, y = f(z, 2)\nreturn "
                   "{x, y}"),
        "local x , y repeat local a_1 = z\nif a_1 then\nx , y = nil, 2 break\nend\nx , y = a_1 until true\nreturn {x, "
        "y}\n");
    EXPECT_EQ(
        embed_scripts::count_functions(shrink_lua(
            "local function f(a)\nfor i = 1, 2 do if a then return i end end\nend\nlocal x = f(z)\nreturn x")),
        1)
        << "it returns from a loop";
}

TEST(shrink, a_function_that_a_branch_needs_is_made_there) {
    EXPECT_EQ(
        shrink_lua("local function f(a) a() a() end\nif x then\nf(1)\nf(2)\nend\n"),
        "if x then\nlocal function f(a) a() a() end\nf(1)\nf(2)\nend\n");
    std::string looped = "local function f(a) a() a() end\nfor i = 1, 9 do\nf(1)\nf(2)\nend\n";
    EXPECT_EQ(shrink_lua(looped), looped) << "it would be made nine times";
}

TEST(shrink, free_names_have_their_lines) {
    auto found =
        embed_scripts::free_names("local a = redis.x\n-- b\nfor i, c in d(a) do\nlocal e = {f = i, [g] = c.h}\nend\n");
    std::vector<std::string> names;
    for (const auto& each : found) {
        names.push_back(each.name + std::to_string(each.line));
    }
    EXPECT_THAT(names, ElementsAre("redis1", "d3", "g4"));
}

TEST(shrink, what_is_no_lua_is_told_with_its_line) {
    for (const auto& [text, told] : std::vector<std::pair<std::string, std::string>>{
             {"x()\nend", "2: "},
             {"if x then\n", "2: "},
             {"local 5", "1: "},
             {"a = 'b\n", "1: "},
             {"x = [[y]]", "1: "}}) {
        try {
            shrink_lua(text);
            FAIL() << text;
        } catch (const std::runtime_error& error) {
            EXPECT_THAT(error.what(), testing::StartsWith(told)) << text;
        }
    }
}

} // namespace
} // namespace leat::tests
