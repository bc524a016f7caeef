#include "reading.hpp"

namespace leat::config {

using testing::ElementsAre;
using testing::HasSubstr;

namespace {

reading json(std::string_view text) {
    return read(syntax::json, text);
}

reading js(std::string_view text) {
    return read(syntax::js, text);
}

} // namespace

TEST(json_reader, reads_every_kind_of_value) {
    EXPECT_EQ(
        json(R"( {"a": [1, -2.5, 1e3, true, false, null, "x"], "b": {}, "c": []} )").json(),
        R"({"a":[1,-2.5,1000.0,true,false,null,"x"],"b":{},"c":[]})");
    EXPECT_EQ(json("\"\\u00e4\\ud83d\\ude00\\n\\/\\\"\"").tree->text(), "ä😀\n/\"");
    EXPECT_EQ(json("5").tree->to_text(), std::nullopt);
}

TEST(json_reader, gives_each_value_its_place) {
    auto got = json("{\n  \"ä\": 1, \"b\": [\n true]}");
    ASSERT_TRUE(got.tree);
    EXPECT_EQ(to_string(got.tree->find_entry("b")->key_position), "f.json:2:11");
    EXPECT_EQ(to_string(got.tree->find("b")->items()[0].where()), "f.json:3:2");
}

TEST(json_reader, is_strict) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "f.json:1:1: error: expected a JSON value, found the end of the file"},
        {"{\"a\": 1,}", "f.json:1:8: error: JSON has no comma after the last item"},
        {"[1,]", "f.json:1:3: error: JSON has no comma after the last item"},
        {"[1 2]", "f.json:1:4: error: expected `,` or `]`, found `2`"},
        {"[,1]", "f.json:1:2: error: expected a JSON value, found `,`"},
        {"{\"a\" 1}", "f.json:1:6: error: expected `:` after the key a, found `1`"},
        {"{a: 1}", "f.json:1:2: error: expected a key in double quotes, found `a`"},
        {"{'a': 1}", "f.json:1:2: error: expected a key in double quotes, found `'`"},
        {"{\"a\": 'x'}", "f.json:1:7: error: expected a JSON value, found `'`"},
        {"// c\n1", "f.json:1:1: error: JSON has no comments"},
        {"{\"a\": undefined}", "f.json:1:7: error: expected a JSON value, found `undefined`"},
        {"{} x", "f.json:1:4: error: expected the end of the file, found `x`"},
        {"{\"a\":1", "f.json:1:7: error: expected `,` or `}`, found the end of the file"},
        {"\"abc", "f.json:1:1: error: this text has no closing quote"},
        {"\"a\nb\"", "f.json:1:1: error: this text has no closing quote"},
        {"\"a\tb\"", "f.json:1:3: error: a control character in JSON text must be escaped"},
        {R"("\x41")", "f.json:1:2: error: this escape is not known"},
        {R"("\u12g4")", "f.json:1:4: error: 4 hexadecimal digits must follow"},
        {R"("\ud800")", "f.json:1:2: error: this escape is not a whole character"},
        {R"("\ud800\u0041")", "f.json:1:2: error: this escape is not a whole character"},
        {R"("\ude00")", "f.json:1:2: error: this escape is not a whole character"},
        {"\"\\", "f.json:1:2: error: this text has no closing quote"},
        {"01", "f.json:1:1: error: this is not a decimal number"},
        {"1.", "f.json:1:1: error: this is not a decimal number"},
        {".5", "f.json:1:1: error: this is not a decimal number"},
        {"1e", "f.json:1:1: error: this is not a decimal number"},
        {"1.2.3", "f.json:1:1: error: this is not a decimal number"},
        {"12ab", "f.json:1:1: error: this is not a decimal number"},
        {"+1", "f.json:1:1: error: expected a JSON value, found `+`"},
        {"-", "f.json:1:1: error: expected a JSON value, found `-`"},
        {"{\"a\":1,\"a\":2}", "f.json:1:8: error: a is set twice; first at f.json:1:2"},
    };
    for (const auto& [text, expected] : cases) {
        auto got = json(text);
        EXPECT_FALSE(got.tree) << text;
        EXPECT_THAT(got.lines, ElementsAre(expected)) << text;
    }
}

TEST(json_reader, has_the_limits_of_yaml) {
    EXPECT_TRUE(json(std::string(64, '[') + std::string(64, ']')).tree);
    EXPECT_THAT(
        json(std::string(500'000, '[')).lines, ElementsAre("f.json:1:65: error: is nested more than 64 levels deep"));
    std::string many = "[1";
    for (std::size_t i = 0; i < most_values; ++i) {
        many += ",1";
    }
    EXPECT_THAT(json(many + "]").lines, ElementsAre(HasSubstr("the file holds more than 10000 values")));
}

TEST(json_reader, limits_the_text_that_variables_stand_for) {
    auto env = variables({{"V", std::string(100'000, 'x')}});
    std::string many = "[1";
    for (int i = 0; i < 9'000; ++i) {
        many += ",\"${V}\"";
    }
    many += "]";
    EXPECT_THAT(read(syntax::json, many, env).lines, ElementsAre(HasSubstr("the file holds more than 16 MiB of text")));
    EXPECT_THAT(
        read(syntax::js, "module.exports = " + many, env).lines,
        ElementsAre(HasSubstr("the file holds more than 16 MiB of text")));
    std::string one = "\"";
    for (int i = 0; i < 100'000; ++i) {
        one += "${V}";
    }
    EXPECT_THAT(
        read(syntax::json, one + "\"", env).lines,
        ElementsAre(HasSubstr("f.json:1:1: error: the file holds more than 16 MiB of text")));
}

TEST(js_reader, takes_the_ways_to_export_a_literal) {
    for (const auto* text :
         {"module.exports = {a: 1};", "module.exports={a:1}", "exports.default = {a: 1};", "export default {a: 1}",
          "'use strict';\n// why\nmodule.exports /* x */ = { // y\n  a: 1, /* z */\n};\n// end",
          "\"use strict\"; module.exports = {'a': 1,};;", "module.exports = {\"a\": +1}",
          "export\ndefault\n{`a`: 1}"}) {
        auto got = js(text);
        EXPECT_EQ(got.json(), R"({"a":1})") << text << testing::PrintToString(got.lines);
    }
}

TEST(js_reader, reads_the_literals_of_javascript) {
    EXPECT_EQ(
        js(R"(module.exports = [.5, 5., -1, undefined, null, 'it\'s', "a\x41\u{1F600}\q", `b
c`, 'x\
y', {$a_1: true, ä: false,},])")
            .json(),
        R"([0.5,5.0,-1,null,null,"it's","aA😀q","b\nc","xy",{"$a_1":true,"ä":false}])");
}

TEST(js_reader, runs_nothing) {
    const std::pair<const char*, const char*> cases[] = {
        {"module.exports = {a: require('x')}", "f.js:1:22: error: only a literal is allowed here, found `require`"},
        {"module.exports = {\n a: process.env.X}",
         "f.js:2:5: error: only a literal is allowed here, found `process.env.X`"},
        {"module.exports = () => 1", "f.js:1:18: error: only a literal is allowed here, found `(`"},
        {"module.exports = {a: `x${1}`}",
         "f.js:1:24: error: only a literal is allowed here, found ${ in a template; in '...' it takes an environment "
         "variable"},
        {"module.exports = {a: 'x' + 'y'}", "f.js:1:26: error: expected `,` or `}`, found `+`"},
        {"module.exports = {a: 10 * 60}", "f.js:1:25: error: expected `,` or `}`, found `*`"},
        {"module.exports = {...b}", "f.js:1:19: error: expected a key, found `.`"},
        {"module.exports = {[b]: 1}", "f.js:1:19: error: expected a key, found `[`"},
        {"module.exports = {a}", "f.js:1:20: error: expected `:` after the key a, found `}`"},
        {"module.exports = {a.b: 1}", "f.js:1:19: error: expected a key, found `a.b`"},
        {"module.exports = {a: 0x10}", "f.js:1:22: error: this is not a decimal number"},
        {"module.exports = {a: 1_0}", "f.js:1:22: error: this is not a decimal number"},
        {"module.exports = {}; foo()", "f.js:1:22: error: expected the end of the file, found `foo`"},
        {"module.exports = [,1]", "f.js:1:19: error: only a literal is allowed here, found `,`"},
        {"module.exports = /* x", "f.js:1:18: error: this comment has no end"},
        {"module.exports = 'x", "f.js:1:18: error: this text has no closing quote"},
        {"module.exports = '\\u{110000}'", "f.js:1:19: error: this escape is not a whole character"},
        {"module.exports = '\\1'", "f.js:1:19: error: this escape is not known"},
        {"module.exports =", "f.js:1:17: error: only a literal is allowed here, found the end of the file"},
        {"const a = 1",
         "f.js:1:1: error: only `module.exports = { ... };` with a literal is allowed here, found `const`"},
        {"",
         "f.js:1:1: error: only `module.exports = { ... };` with a literal is allowed here, found the end of the file"},
        {"module.exportsX = 1",
         "f.js:1:1: error: only `module.exports = { ... };` with a literal is allowed here, found `module.exportsX`"},
    };
    for (const auto& [text, expected] : cases) {
        auto got = js(text);
        EXPECT_FALSE(got.tree) << text;
        EXPECT_THAT(got.lines, ElementsAre(expected)) << text;
    }
}

} // namespace leat::config
