#include "config/run_file.hpp"
#include "reading.hpp"
#include "sample.hpp"

namespace leat::config {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

struct bare_settings {
    std::string path;
};

const auto mpush = make_sample();
const auto lpush = make_sample("lpush");
const spec<bare_settings> bare{"bare", "", "", {field("path", &bare_settings::path, "")}};
const spec_base* const kinds[] = {&mpush, &lpush, &bare};

struct run_reading {
    std::optional<run_file> file; // nothing after an error
    std::vector<std::string> lines;
};

run_reading run(std::string_view text, const std::string& path = "dir/orders.yaml") {
    problems found;
    auto root = yaml(text).tree;
    auto file = read_run_file(root.value_or(value{}), path, kinds, found);
    return {found.any_errors() ? std::nullopt : std::optional{std::move(file)}, lines_of(found)};
}

} // namespace

TEST(run_file, reads_services_with_their_kinds) {
    auto got = run("redis: redis://top\n"
                   "services:\n"
                   "  a: {kind: mpush, in: i, out: [o]}\n"
                   "  b.c-1: {redis: redis://own, kind: lpush}\n"
                   "  c: {kind: bare, path: x}\n"
                   "  d: {kind: mpush, redis: }\n");
    ASSERT_TRUE(got.file) << testing::PrintToString(got.lines);
    const auto& services = got.file->services;
    ASSERT_EQ(services.size(), 4U);
    EXPECT_EQ(services[0].name, "a");
    EXPECT_EQ(services[0].spec, &mpush);
    EXPECT_EQ(to_string(services[0].where), "f.yaml:3:3");
    EXPECT_EQ(to_json(services[0].settings, 0), R"({"in":"i","out":["o"],"redis":"redis://top"})");
    EXPECT_EQ(to_string(services[0].settings.find("redis")->where()), "f.yaml:1:8");
    EXPECT_EQ(to_json(services[1].settings, 0), R"({"redis":"redis://own"})");
    EXPECT_EQ(to_json(services[2].settings, 0), R"({"path":"x"})");
    EXPECT_EQ(to_json(services[3].settings, 0), R"({"redis":"redis://top"})");
}

TEST(run_file, holds_what_could_be_read_when_something_is_wrong) {
    problems found;
    auto root = yaml("services:\n  a: {kind: mpsh}\n  b: {kind: mpush, in: i}\n").tree;
    auto file = read_run_file(*root, "f.yaml", kinds, found);
    EXPECT_TRUE(found.any_errors());
    ASSERT_EQ(file.services.size(), 1U);
    EXPECT_EQ(file.services[0].name, "b");
}

TEST(run_file, takes_a_file_with_a_kind_as_one_service_named_after_it) {
    auto got = run("kind: mpush\nin: i\n");
    ASSERT_TRUE(got.file);
    ASSERT_EQ(got.file->services.size(), 1U);
    EXPECT_EQ(got.file->services[0].name, "orders");
    EXPECT_EQ(got.file->services[0].spec, &mpush);
    EXPECT_EQ(to_json(got.file->services[0].settings, 0), R"({"in":"i"})");
    EXPECT_EQ(run("kind: bare\n", "a b ä.c.yaml").file->services[0].name, "a-b---.c");
    EXPECT_EQ(run("kind: bare\n", ".yaml").file->services[0].name, "bare");
    EXPECT_EQ(run("kind: bare\n", std::string(90, 'x') + ".yaml").file->services[0].name.size(), 64U);
}

TEST(run_file, may_hold_its_own_tests) {
    auto got = run("services: {a: {kind: bare}}\ntests: [{x: 1}]\n");
    EXPECT_TRUE(got.file);
    EXPECT_THAT(got.lines, IsEmpty());
    got = run("kind: bare\ntests: [{x: 1}]\n");
    EXPECT_EQ(to_json(got.file->services[0].settings, 0), "{}");
}

TEST(run_file, tells_what_is_wrong_with_its_structure) {
    const std::pair<const char*, const char*> cases[] = {
        {"services: {a: {kind: mpsuh}}", "f.yaml:1:22: error: unknown kind mpsuh; did you mean mpush?"},
        {"services: {a: {kind: zzzz}}", "f.yaml:1:22: error: unknown kind zzzz; known are mpush, lpush, bare"},
        {"kind: mpsuh", "f.yaml:1:7: error: unknown kind mpsuh; did you mean mpush?"},
        {"kind: [a]", "f.yaml:1:7: error: kind: expected text, found a list"},
        {"services: {a: {in: i}}", "f.yaml:1:15: error: service a has no kind; known are mpush, lpush, bare"},
        {"services: {a: 5}", "f.yaml:1:15: error: service a: expected a map with its kind and settings, found 5"},
        {"services: {a: }", "f.yaml:1:12: error: service a: expected a map with its kind and settings, found nothing"},
        {"services: {}", "f.yaml:1:11: error: services is empty; give at least one, as `name: {kind: ...}`"},
        {"services:", "error: services is empty; give at least one, as `name: {kind: ...}`"},
        {"services: [a]", "f.yaml:1:11: error: services: expected a map of services, found a list"},
        {"services: {a: {kind: bare}}\nredsi: x",
         "f.yaml:2:1: error: unknown top-level key redsi; did you mean redis?"},
        {"services: {a: {kind: bare}}\nzzz: x", "f.yaml:2:1: error: unknown top-level key zzz"},
        {"services: {a: {kind: bare}}\nkind: bare", "f.yaml:2:1: error: a file has either kind or services, not both"},
        {"services: {a: {kind: bare}}\nredis: [x]", "f.yaml:2:8: error: redis: expected text, found a list"},
        {"services: {a: {kind: bare}}\ntests: x", "f.yaml:2:8: error: tests: expected a list, found text \"x\""},
        {"services: {a b: {kind: bare}}",
         "f.yaml:1:12: error: the name of a service has 1 to 64 letters, digits, `_`, `.` or `-`"},
        {"servces: {}", "f.yaml:1:1: error: unknown top-level key servces; did you mean services?"},
        {"in: i", "f.yaml:1:1: error: expected `services` or `kind` at the top level, found neither"},
        {"[a]", "f.yaml:1:1: error: expected a map with `services` or `kind`, found a list"},
        {"", "f.yaml: error: expected a map with `services` or `kind`, found nothing"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_THAT(run(text).lines, ElementsAre(HasSubstr(expected))) << text;
    }
    auto name = "services: {" + std::string(65, 'n') + ": {kind: bare}}";
    EXPECT_THAT(run(name).lines, ElementsAre(HasSubstr("the name of a service has")));
    EXPECT_EQ(run("services: {a: {kind: x}, b: {kind: y}, c d: {kind: bare}}").lines.size(), 3U);
}

TEST(props_file, is_one_service_of_the_kind_that_the_caller_names) {
    problems found;
    auto read = read_props(*yaml("in: i\n").tree, "x/p.js", mpush, found);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->name, "p");
    EXPECT_EQ(read->spec, &mpush);
    auto same = read_props(*yaml("kind: mpush\nin: i\n").tree, "p.js", mpush, found);
    ASSERT_TRUE(same);
    EXPECT_EQ(to_json(same->settings, 0), R"({"in":"i"})");
    auto empty = read_props(*yaml("").tree, "p.yaml", mpush, found);
    ASSERT_TRUE(empty);
    EXPECT_TRUE(empty->settings.is_map());
    EXPECT_EQ(to_string(empty->settings.where()), "f.yaml");
    EXPECT_TRUE(found.empty());
}

TEST(props_file, may_not_say_something_else) {
    const std::pair<const char*, const char*> cases[] = {
        {"kind: lpush\n", "f.yaml:1:7: error: kind: expected mpush, found text \"lpush\""},
        {"[a]", "f.yaml:1:1: error: expected a map of settings, found a list"},
        {"services: {}", "f.yaml:1:1: error: this file holds several services: run it with `leat run`, not as mpush"},
    };
    for (const auto& [text, expected] : cases) {
        problems found;
        EXPECT_FALSE(read_props(*yaml(text).tree, "p.yaml", mpush, found));
        EXPECT_THAT(lines_of(found), ElementsAre(expected));
    }
}

TEST(override_setting, replaces_what_the_file_says_and_tells_so) {
    auto map = *yaml("in: i\npopTimeout: 5\nout: [a]\nredis: redis://u:old@h\ntoken: old\n").tree;
    problems found;
    std::vector<std::string> replaced;
    auto give = [&](const char* name, std::vector<std::string> texts, const char* origin) {
        apply(map, mpush, {name, std::move(texts), origin}, found, &replaced);
    };
    give("popTimeout", {"10"}, "--popTimeout");
    give("popTimeout", {"11"}, "--popTimeout");
    give("out", {"b, c", "d"}, "--out");
    give("redis", {"redis://u:new@h"}, "REDIS_URL");
    give("token", {"new"}, "--token");
    give("flag", {"true"}, "--flag");
    EXPECT_THAT(
        lines_of(found),
        ElementsAre("--out: warning: `b, c` is split at its commas; give --out several times instead"));
    EXPECT_THAT(
        replaced, ElementsAre(
                      "popTimeout=10 from --popTimeout replaces 5 from f.yaml:2:13",
                      "out=[\"b\",\"c\",\"d\"] from --out replaces [\"a\"] from f.yaml:3:6",
                      "redis=redis://u:***@h from REDIS_URL replaces redis://u:***@h from f.yaml:4:8",
                      "token=*** from --token replaces *** from f.yaml:5:8"));
    auto read = mpush.read(map, found);
    ASSERT_TRUE(read) << testing::PrintToString(lines_of(found));
    EXPECT_EQ(read->pop_timeout, 11);
    EXPECT_THAT(read->out, ElementsAre("b", "c", "d"));
    EXPECT_TRUE(read->flag);
    EXPECT_EQ(read->redis, "redis://u:new@h");
}

TEST(override_setting, has_its_origin_as_its_place) {
    auto map = *yaml("in: i\nout: [a]\n").tree;
    problems found;
    apply(map, mpush, {"popTimeout", {"x"}, "--popTimeout"}, found, nullptr);
    apply(map, mpush, {"popTimout", {"5"}, "--popTimout"}, found);
    apply(map, mpush, {"in", {"a", "b"}, "--in"}, found);
    apply(map, mpush, {"in", {"\xFF"}, "--in"}, found);
    apply(map, mpush, {"out", {""}, "--out"}, found);
    mpush.lint(map, found);
    EXPECT_THAT(
        lines_of(found), ElementsAre(
                             "--popTimout: error: unknown setting popTimout; did you mean popTimeout?",
                             "--in: error: in takes one value, found 2", "--in: error: in is not UTF-8",
                             "--out: error: out: expected at least 1 in the list, found 0",
                             "--popTimeout: error: popTimeout: expected a whole number of s, or a duration with its "
                             "unit (ms, s, m, h or d), found text \"x\""));
}

} // namespace leat::config
