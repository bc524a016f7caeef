#include "config/spec.hpp"
#include "reading.hpp"
#include "sample.hpp"

#include <stdexcept>

namespace leat::config {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

const spec<sample_settings> sample = make_sample();

value tree(std::string_view text, const environment& env = variables({})) {
    auto got = yaml(text, env);
    EXPECT_TRUE(got.tree) << testing::PrintToString(got.lines);
    return got.tree.value_or(value{});
}

std::vector<std::string> lint(std::string_view settings, const environment& env = variables({})) {
    problems found;
    bool fine = sample.lint(tree(settings, env), found);
    EXPECT_EQ(fine, !found.any_errors());
    return lines_of(found);
}

// The two settings that must be there, then one more on line 3.
std::vector<std::string> lint_one(const std::string& setting) {
    return lint("in: i\nout: [o]\n" + setting + "\n");
}

} // namespace

TEST(spec, reads_settings_into_the_struct) {
    problems found;
    auto read = sample.read(
        tree("redis: redis://h\nin: 5\nout: [a, 7]\npopTimeout: 10\nmessageTimeout: 60\nserviceNamespace: ns\n"
             "ratio: 1\nflag: true\nmode: safe\n"),
        found);
    EXPECT_THAT(lines_of(found), IsEmpty());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->redis, "redis://h");
    EXPECT_EQ(read->in, "5");
    EXPECT_THAT(read->out, ElementsAre("a", "7"));
    EXPECT_EQ(read->pop_timeout, 10);
    EXPECT_EQ(read->message_timeout, 60);
    EXPECT_EQ(read->service_namespace, "ns");
    EXPECT_EQ(read->ratio, 1.0);
    EXPECT_TRUE(read->flag);
    EXPECT_EQ(read->mode, "safe");
}

TEST(spec, takes_defaults_from_the_struct_also_for_null) {
    problems found;
    auto read = sample.read(tree("in: i\nout: [o]\npopTimeout:\nredis: ~\n"), found);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->pop_timeout, 5);
    EXPECT_EQ(read->redis, "redis://localhost:6379/0");
    EXPECT_EQ(read->service_namespace, std::nullopt);
}

TEST(spec, reads_any_scalar_through_a_variable) {
    problems found;
    auto env = variables({{"T", "7"}, {"F", "true"}, {"R", "0.25"}});
    auto read =
        sample.read(tree("in: ${T}\nout: ['${T}']\npopTimeout: ${T}\nflag: ${F}\nratio: \"${R}\"\n", env), found);
    ASSERT_TRUE(read) << testing::PrintToString(lines_of(found));
    EXPECT_EQ(read->in, "7");
    EXPECT_EQ(read->pop_timeout, 7);
    EXPECT_TRUE(read->flag);
    EXPECT_EQ(read->ratio, 0.25);
}

TEST(spec, tells_what_is_wrong_with_a_setting) {
    const std::pair<const char*, const char*> cases[] = {
        {"popTimout: 5", "f.yaml:3:1: error: unknown setting popTimout; did you mean popTimeout?"},
        {"banana: 5", "f.yaml:3:1: error: unknown setting banana"},
        {"kind: 5", "f.yaml:3:1: error: unknown setting kind"},
        {"popTimeout: x", "f.yaml:3:13: error: popTimeout: expected a whole number of s, or a duration with its unit "
                          "(ms, s, m, h or d), found text \"x\""},
        {"popTimeout: '5'", "f.yaml:3:13: error: popTimeout: expected a whole number of s, or a duration with its unit "
                            "(ms, s, m, h or d), found text \"5\""},
        {"popTimeout: 5.5", "f.yaml:3:13: error: popTimeout: expected a whole number of s, or a duration with its unit "
                            "(ms, s, m, h or d), found 5.5"},
        {"popTimeout: true", "f.yaml:3:13: error: popTimeout: expected a whole number of s, or a duration with its "
                             "unit (ms, s, m, h or d), found true"},
        {"popTimeout: [5]", "f.yaml:3:13: error: popTimeout: expected a whole number of s, or a duration with its unit "
                            "(ms, s, m, h or d), found a list"},
        {"popTimeout: 0", "f.yaml:3:13: error: popTimeout: expected 1 to 30 s, found 0"},
        {"popTimeout: 31", "f.yaml:3:13: error: popTimeout: expected 1 to 30 s, found 31"},
        {"ratio: 1.01", "f.yaml:3:8: error: ratio: expected 0 to 1, found 1.01"},
        {"ratio: x", "f.yaml:3:8: error: ratio: expected a number, found text \"x\""},
        {"flag: yes", "f.yaml:3:7: error: flag: expected true or false, found text \"yes\""},
        {"flag: 1", "f.yaml:3:7: error: flag: expected true or false, found 1"},
        {"mode: saef", "f.yaml:3:7: error: mode: expected fast or safe, found text \"saef\"; did you mean safe?"},
        {"serviceNamespace: {}", "f.yaml:3:19: error: serviceNamespace: expected text, found a map"},
        {"redis: http://h", "f.yaml:3:8: error: redis: not a Redis URL: http://h"},
        {"messageTimeout: 5", "f.yaml:3:17: warning: messageTimeout has no effect without serviceNamespace"},
    };
    for (const auto& [setting, expected] : cases) {
        EXPECT_THAT(lint_one(setting), ElementsAre(expected)) << setting;
    }
}

TEST(spec, accepts_the_bounds_themselves) {
    for (const auto* setting : {"popTimeout: 1", "popTimeout: 30", "ratio: 0", "ratio: 1.0", "pending: p"}) {
        EXPECT_THAT(lint_one(setting), IsEmpty()) << setting;
    }
}

TEST(spec, tells_what_is_wrong_with_a_list_and_with_what_must_be_there) {
    const std::pair<const char*, std::vector<std::string>> cases[] = {
        {"out: [a]", {"f.yaml:1:1: error: missing setting in"}},
        {"in:\nout: [a]", {"f.yaml:1:1: error: in has no value"}},
        {"in: ''\nout: [a]", {"f.yaml:1:5: error: in: must not be empty"}},
        {"in: i\nout: []", {"f.yaml:2:6: error: out: expected at least 1 in the list, found 0"}},
        {"in: i\nout: a", {"f.yaml:2:6: error: out: expected a list of texts, found text \"a\""}},
        {"in: i\nout: [a, ~, [b], '']",
         {"f.yaml:2:10: error: out: expected text, found nothing",
          "f.yaml:2:13: error: out: expected text, found a list", "f.yaml:2:18: error: out: must not be empty"}},
        {"in: i\nout: [a, b, a]", {"f.yaml:2:13: error: out: text \"a\" is in the list twice; first at f.yaml:2:7"}},
        {"[in]", {"f.yaml:1:1: error: expected the settings of mpush as a map, found a list"}},
    };
    for (const auto& [settings, expected] : cases) {
        EXPECT_EQ(lint(settings), expected) << settings;
    }
    problems found;
    EXPECT_FALSE(sample.lint(value::null({"f.yaml"}), found));
    EXPECT_THAT(
        lines_of(found), ElementsAre("f.yaml: error: missing setting in", "f.yaml: error: missing setting out"));
}

TEST(spec, tells_every_problem_at_once) {
    EXPECT_EQ(lint("popTimeout: x\nratio: 2\nfalg: true\nredis: [1]\n").size(), 6U);
}

TEST(spec, never_tells_a_secret) {
    const std::string password = "s3cret";
    for (const std::string& setting :
         {"redis: http://u:" + password + "@h", "redis: \"u:" + password + "@h\"",
          "redis: http://u:a/" + password + "@x@h", "redis: http://u:" + password + "@h/?password=" + password,
          "token: [" + password + "]", "token: {a: " + password + "}"}) {
        auto lines = lint_one(setting);
        EXPECT_EQ(lines.size(), 1U) << setting;
        EXPECT_THAT(lines, testing::Each(Not(HasSubstr(password)))) << setting;
        auto shown = to_json(sample.normalised(tree("in: i\nout: [o]\n" + setting + "\n")));
        EXPECT_THAT(shown, Not(HasSubstr(password))) << setting;
    }
    EXPECT_THAT(
        lint_one("redis: http://u:s3cret@h"), ElementsAre("f.yaml:3:8: error: redis: not a Redis URL: http://u:***@h"));
}

TEST(spec, normalises_with_defaults_and_masks) {
    auto map = tree("token: abc\nin: 5\nout: [1]\nredis: redis://u:p@h/1\nbanana: 1\nmessageTimeout: 60\npending:\n");
    EXPECT_EQ(
        to_json(sample.normalised(map), 0),
        R"({"redis":"redis://u:***@h/1","in":"5","out":["1"],"popTimeout":5,"messageTimeout":60,"ratio":0.5,)"
        R"("flag":false,"mode":"fast","token":"***"})");
    EXPECT_EQ(sample.normalised(map).find("in")->where().line, 2);
    EXPECT_EQ(sample.normalised(value{}).find("in"), nullptr);
}

TEST(spec, needs_a_switch_to_be_on) {
    struct settings {
        bool on = false;
        std::int64_t speed = 1;
    };
    const spec<settings> kind{
        "k", "", "", {field("on", &settings::on, ""), field("speed", &settings::speed, "").needs("on")}};
    auto lines = [&](const char* text) {
        problems found;
        kind.lint(tree(text), found);
        return found.all().size();
    };
    EXPECT_EQ(lines("speed: 2\n"), 1U);
    EXPECT_EQ(lines("speed: 2\non: false\n"), 1U);
    EXPECT_EQ(lines("speed: 2\non: true\n"), 0U);
    EXPECT_EQ(lines("on: false\n"), 0U);
}

TEST(cross_check, runs_when_each_setting_is_fine_and_finds_places) {
    int calls = 0;
    const auto kind = make_sample().cross_check([&](const sample_settings& read, const reporter& at) {
        ++calls;
        if (read.out.size() > 1) {
            at.error("out", 1, "second");
            at.error("out", 9, "list");
            at.error("popTimeout", "absent");
            at.warning("in", "hm");
        }
    });
    problems found;
    EXPECT_FALSE(kind.read(tree("in: i\nout: [a, b]\n"), found));
    EXPECT_THAT(
        lines_of(found), ElementsAre(
                             "f.yaml:2:10: error: second", "f.yaml:2:6: error: list", "f.yaml:1:1: error: absent",
                             "f.yaml:1:5: warning: hm"));
    problems none;
    EXPECT_TRUE(kind.read(tree("in: i\nout: [a]\n"), none));
    EXPECT_FALSE(kind.read(tree("in: i\nout: [a]\nratio: x\n"), none));
    EXPECT_EQ(calls, 2);
}

TEST(spec, refuses_a_declaration_that_contradicts_itself) {
    struct settings {
        std::int64_t whole = 5;
        std::string text;
    };
    using fields = std::vector<typed_field<settings>>;
    auto declare = [](fields all) { spec<settings>{"k", "", "", std::move(all)}; };
    auto whole = [](const char* name) { return field(name, &settings::whole, ""); };
    auto text = [](const char* name) { return field(name, &settings::text, ""); };
    EXPECT_NO_THROW(declare({whole("a").range(1, 5), text("b")}));
    EXPECT_THROW(declare({whole("a"), text("a")}), std::logic_error);
    EXPECT_THROW(declare({whole("kind")}), std::logic_error);
    EXPECT_THROW(declare({whole("a").range(6, 7)}), std::logic_error);
    EXPECT_THROW(declare({whole("a").needs("b")}), std::logic_error);
    EXPECT_THROW(declare({text("a").range(1, 2)}), std::logic_error);
    EXPECT_THROW(declare({text("a").distinct()}), std::logic_error);
    EXPECT_THROW(declare({whole("a").not_empty()}), std::logic_error);
    EXPECT_THROW(declare({text("a").choices({"x"})}), std::logic_error);
}

} // namespace leat::config
