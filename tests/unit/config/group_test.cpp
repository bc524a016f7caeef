#include "group_sample.hpp"
#include "reading.hpp"

#include <stdexcept>

namespace leat::config {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

const spec<courier_settings> courier = make_courier();

value tree(const std::string& text, syntax form = syntax::yaml, const environment& env = variables({})) {
    auto got = read(form, text, env);
    EXPECT_TRUE(got.tree) << testing::PrintToString(got.lines);
    return got.tree.value_or(value{});
}

std::optional<retry_settings> retry_of(const value& map) {
    problems found;
    auto read = courier.read(map, found);
    EXPECT_TRUE(read) << testing::PrintToString(lines_of(found));
    EXPECT_THAT(lines_of(found), IsEmpty());
    return read ? read->retry : std::nullopt;
}

// What must be there and what the group needs, then a text from line 3 on.
std::string with(const std::string& retry) {
    return "in: i\nserviceNamespace: ns\n" + retry + "\n";
}

std::vector<std::string> lint(const std::string& settings) {
    problems found;
    bool fine = courier.lint(tree(settings), found);
    EXPECT_EQ(fine, !found.any_errors());
    return lines_of(found);
}

std::string echo(const std::string& settings) {
    return to_json(courier.normalised(tree(settings)), 0);
}

constexpr auto defaults = R"("retry":{"attempts":3,"first":1.0,"jitter":true,"only":[]})";

} // namespace

TEST(group, is_read_from_every_syntax) {
    for (const auto& map :
         {tree(with("retry: {attempts: 5, first: 2, only: [a, b], dead: d}")),
          tree(with("retry:\n  attempts: 5\n  first: 2\n  only:\n  - a\n  - b\n  dead: d")),
          tree(
              R"({"in":"i","serviceNamespace":"ns","retry":{"attempts":5,"first":2,"only":["a","b"],"dead":"d"}})",
              syntax::json),
          tree(
              "module.exports = {in: 'i', serviceNamespace: 'ns',\n"
              "  retry: {attempts: 5, first: 2, only: ['a', 'b'], dead: 'd'}}",
              syntax::js)}) {
        auto retry = retry_of(map);
        ASSERT_TRUE(retry);
        EXPECT_EQ(retry->attempts, 5);
        EXPECT_EQ(retry->first, 2.0);
        EXPECT_TRUE(retry->jitter);
        EXPECT_THAT(retry->only, ElementsAre("a", "b"));
        EXPECT_EQ(retry->dead, "d");
        EXPECT_FALSE(retry->alarm);
    }
}

TEST(group, is_off_when_absent_null_or_false) {
    for (const auto* text : {"", "retry:", "retry: ~", "retry: false"}) {
        EXPECT_FALSE(retry_of(tree(with(text)))) << text;
        EXPECT_EQ(echo(with(text)), R"({"serviceNamespace":"ns","in":"i","limit":10})") << text;
    }
}

TEST(group, has_the_defaults_when_empty_or_true) {
    for (const auto* text : {"retry: {}", "retry: true", "retry: {attempts: }"}) {
        auto retry = retry_of(tree(with(text)));
        ASSERT_TRUE(retry) << text;
        EXPECT_EQ(retry->attempts, 3);
        EXPECT_EQ(retry->first, 1.0);
        EXPECT_THAT(echo(with(text)), HasSubstr(defaults)) << text;
    }
}

TEST(group, may_come_from_variables) {
    auto env = variables({{"ON", "true"}, {"OFF", "false"}, {"N", "7"}});
    EXPECT_TRUE(retry_of(tree(with("retry: ${ON}"), syntax::yaml, env)));
    EXPECT_FALSE(retry_of(tree(with("retry: ${OFF}"), syntax::yaml, env)));
    EXPECT_EQ(retry_of(tree(with("retry: {attempts: \"${N}\"}"), syntax::yaml, env))->attempts, 7);
}

TEST(group, may_hold_a_group) {
    auto retry = retry_of(tree(with("retry:\n  dead: d\n  alarm:\n    to: me\n    token: t")));
    ASSERT_TRUE(retry && retry->alarm);
    EXPECT_EQ(retry->alarm->to, "me");
    EXPECT_EQ(retry->alarm->token, "t");
    EXPECT_FALSE(retry_of(tree(with("retry: {alarm: false}")))->alarm);
}

TEST(group, tells_what_is_wrong_at_its_place) {
    const std::pair<const char*, const char*> cases[] = {
        {"retry: 5", "f.yaml:3:8: error: retry: expected a map of settings, true or false, found text \"***\""},
        {"retry: [a]", "f.yaml:3:8: error: retry: expected a map of settings, true or false, found a list"},
        {"retry: {attemps: 5}", "f.yaml:3:9: error: unknown setting retry.attemps; did you mean retry.attempts?"},
        {"retry:\n  first: 1\n  Attempts: 5",
         "f.yaml:5:3: error: unknown setting retry.Attempts; did you mean retry.attempts?"},
        {"retry: {banana: 5}", "f.yaml:3:9: error: unknown setting retry.banana"},
        {"retry: {in: 5}", "f.yaml:3:9: error: unknown setting retry.in"},
        {"retry.attempts: 5",
         "f.yaml:3:1: error: unknown setting retry.attempts; write it as `retry: {attempts: ...}`"},
        {"in.x: 5", "f.yaml:3:1: error: unknown setting in.x"},
        {"rety: {}", "f.yaml:3:1: error: unknown setting rety; did you mean retry?"},
        {"retry: {attempts: x}", "f.yaml:3:19: error: retry.attempts: expected a whole number, found text \"x\""},
        {"retry:\n  attempts: 0", "f.yaml:4:13: error: retry.attempts: expected 1 to 100, found 0"},
        {"retry: {first: 90000}", "f.yaml:3:16: error: retry.first: expected 0 to 86400 s, found 90000"},
        {"retry: {only: [a, a]}",
         "f.yaml:3:19: error: retry.only: text \"a\" is in the list twice; first at f.yaml:3:16"},
        {"retry: {dead: d, alarm: {}}", "f.yaml:3:25: error: missing setting retry.alarm.to"},
        {"retry: {dead: d, alarm: true}", "f.yaml:3:25: error: missing setting retry.alarm.to"},
        {"retry: {dead: d, alarm: {to: }}", "f.yaml:3:26: error: retry.alarm.to has no value"},
        {"retry: {dead: d, alarm: {to: a, tokne: b}}",
         "f.yaml:3:33: error: unknown setting retry.alarm.tokne; did you mean retry.alarm.token?"},
        {"retry: {alarm.to: x}", "f.yaml:3:9: error: unknown setting retry.alarm.to; write it as `alarm: {to: ...}`"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_THAT(lint(with(text)), ElementsAre(expected)) << text;
    }
    EXPECT_EQ(lint(with("retry: {attempts: x, first: -1, banana: 1, alarm: {}}")).size(), 5U);
}

TEST(group, needs_and_is_needed) {
    const std::pair<const char*, std::vector<std::string>> cases[] = {
        {"in: i\nretry: {}", {"f.yaml:2:8: warning: retry has no effect without serviceNamespace"}},
        {"in: i\nretry: false", {}},
        {"in: i\nlimit: 5", {"f.yaml:2:8: warning: limit has no effect without retry"}},
        {"in: i\nlimit: 5\nretry: false", {"f.yaml:2:8: warning: limit has no effect without retry"}},
        {"in: i\nserviceNamespace: n\nlimit: 5\nretry: {}", {}},
        {"in: i\nserviceNamespace: n\nlimit: 5\nretry: true", {}},
        {"in: i\nserviceNamespace: n\nretry: {alarm: {to: a}}",
         {"f.yaml:3:16: warning: retry.alarm has no effect without retry.dead"}},
        {"in: i\nserviceNamespace: n\nretry: {alarm: {to: a}, dead: d}", {}},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(lint(text), expected) << text;
    }
}

TEST(group, is_echoed_with_its_defaults_and_without_its_secrets) {
    auto text = with("retry: {first: 2, alarm: {token: s3cret, to: 5}, banana: s3cret}");
    EXPECT_EQ(
        echo(text), R"({"serviceNamespace":"ns","in":"i","retry":{"attempts":3,"first":2.0,"jitter":true,"only":[],)"
                    R"("alarm":{"to":"5","token":"***"}},"limit":10})");
    auto shown = courier.normalised(tree(text));
    EXPECT_THAT(
        inspect(shown), HasSubstr("retry: { attempts: 3, first: 2, jitter: true, only: [], "
                                  "alarm: { to: '5', token: '***' } }"));
    EXPECT_THAT(to_yaml(shown), HasSubstr("retry:\n  attempts: 3\n"));
    EXPECT_EQ(echo(to_yaml(shown)), echo(text));
    EXPECT_EQ(shown.find("retry")->find("first")->where().column, 16);
}

TEST(group, never_tells_a_secret) {
    for (const auto* text :
         {"retry: s3cret", "retry: [s3cret]", "retry: {alarm: s3cret}", "retry: {alarm: [s3cret]}",
          "retry: {alarm: {to: a, token: [s3cret]}}", "retry: {alarm: {to: a, token: {a: s3cret}}}"}) {
        auto lines = lint(with(text));
        EXPECT_THAT(lines, Not(IsEmpty())) << text;
        EXPECT_THAT(lines, testing::Each(Not(HasSubstr("s3cret")))) << text;
        EXPECT_THAT(echo(with(text)), Not(HasSubstr("s3cret"))) << text;
    }
}

TEST(group, names_its_settings_from_the_top) {
    EXPECT_THAT(
        courier.setting_names(),
        ElementsAre(
            "serviceNamespace", "in", "retry", "retry.attempts", "retry.first", "retry.jitter", "retry.only",
            "retry.dead", "retry.alarm", "retry.alarm.to", "retry.alarm.token", "limit"));
    ASSERT_TRUE(courier.find("retry.alarm.to"));
    EXPECT_EQ(courier.find("retry.alarm.to")->key, "to");
    EXPECT_EQ(courier.find("retry.to"), nullptr);
    EXPECT_EQ(courier.find("attempts"), nullptr);
}

TEST(group, has_places_for_rules_between_settings) {
    const auto kind = make_courier().cross_check([](const courier_settings&, const reporter& at) {
        at.error("retry.attempts", "attempts");
        at.error("retry.only", 1, "second");
        at.error("retry.first", "absent");
        at.warning("retry.alarm.to", "to");
        at.warning("retry", "retry");
    });
    problems found;
    EXPECT_FALSE(kind.lint(tree(with("retry:\n  attempts: 5\n  only: [a, b]\n  dead: d\n  alarm: {to: x}")), found));
    EXPECT_THAT(
        lines_of(found), ElementsAre(
                             "f.yaml:4:13: error: attempts", "f.yaml:5:13: error: second", "f.yaml:4:3: error: absent",
                             "f.yaml:7:15: warning: to", "f.yaml:4:3: warning: retry"));
    problems off;
    EXPECT_FALSE(kind.lint(tree(with("")), off));
    EXPECT_THAT(lines_of(off), testing::Contains("f.yaml:1:1: error: attempts"));
    // An unknown setting does not keep the rules from being tried, a wrong one does.
    problems unknown;
    kind.lint(tree(with("retry: {attempts: 5, banana: 1}")), unknown);
    EXPECT_THAT(lines_of(unknown), testing::Contains("f.yaml:3:19: error: attempts"));
    problems wrong;
    kind.lint(tree(with("retry: {attempts: x}")), wrong);
    EXPECT_EQ(wrong.all().size(), 1U);
}

TEST(group, may_not_be_declared_with_a_contradiction) {
    struct inner {
        std::int64_t whole = 5;
        std::string text;
    };
    struct settings {
        std::optional<inner> off;
        std::optional<inner> on = inner{};
    };
    using fields = std::vector<typed_field<settings>>;
    auto declare = [](fields all) { spec<settings>{"k", "", "", std::move(all)}; };
    auto off = [](std::vector<typed_field<inner>> all) { return group("g", &settings::off, "", std::move(all)); };
    auto whole = [](const char* name) { return field(name, &inner::whole, ""); };
    EXPECT_NO_THROW(declare({off({whole("a").needs("g.b"), whole("b"), whole("kind")})}));
    EXPECT_NO_THROW(declare({off({whole("a").required().example(std::int64_t{1})})}));
    EXPECT_THROW(declare({group("g", &settings::on, "", {whole("a")})}), std::logic_error);
    EXPECT_THROW(declare({off({whole("a"), whole("a")})}), std::logic_error);
    EXPECT_THROW(declare({off({whole("a"), whole("b")}), off({whole("c")})}), std::logic_error);
    EXPECT_THROW(declare({off({whole("a.b")})}), std::logic_error);
    EXPECT_THROW(declare({off({whole("a").range(6, 7)})}), std::logic_error);
    EXPECT_THROW(declare({off({whole("a").needs("b")})}), std::logic_error);
    EXPECT_THROW(declare({off({whole("a").required()})}), std::logic_error);
    EXPECT_THROW(declare({off({whole("a")}).required()}), std::logic_error);
    EXPECT_THROW(declare({off({whole("a")}).secret(secrecy::whole)}), std::logic_error);
    EXPECT_THROW(declare({off({whole("a")}).range(1, 2)}), std::logic_error);
    EXPECT_THROW(declare({off({whole("a")}).example(true)}), std::logic_error);
}

} // namespace leat::config
