#include "config/run_file.hpp"
#include "group_sample.hpp"
#include "reading.hpp"

namespace leat::config {

using testing::ElementsAre;
using testing::IsEmpty;

namespace {

const spec<courier_settings> courier = make_courier();

// Flags over the settings of a file.
struct overriding {
    explicit overriding(const std::string& text)
        : map{*yaml("in: i\nserviceNamespace: ns\n" + text + "\n").tree} {}

    overriding& give(const std::string& name, std::vector<std::string> texts) {
        apply(map, courier, {name, std::move(texts), "--" + name}, found, &replaced);
        return *this;
    }

    std::optional<retry_settings> retry() {
        auto read = courier.read(map, found);
        EXPECT_THAT(lines_of(found), IsEmpty());
        return read ? read->retry : std::nullopt;
    }

    std::vector<std::string> lint() {
        courier.lint(map, found);
        return lines_of(found);
    }

    value map;
    problems found;
    std::vector<std::string> replaced;
};

} // namespace

TEST(override_in_group, makes_the_group_when_it_is_not_there) {
    for (const auto* text : {"", "retry:", "retry: {}", "retry: true"}) {
        overriding flags{text};
        flags.give("retry.attempts", {"5"}).give("retry.only", {"a", "b", "c"});
        auto retry = flags.retry();
        ASSERT_TRUE(retry) << text;
        EXPECT_EQ(retry->attempts, 5);
        EXPECT_EQ(retry->first, 1.0);
        EXPECT_THAT(retry->only, ElementsAre("a", "b", "c"));
        EXPECT_THAT(flags.replaced, IsEmpty()) << text;
    }
}

TEST(override_in_group, goes_over_what_the_file_says_and_tells_so) {
    overriding flags{"retry: {attempts: 4, first: 2, dead: d, alarm: {to: a, token: old}}"};
    flags.give("retry.attempts", {"5"}).give("retry.alarm.token", {"new"}).give("retry.jitter", {"false"});
    auto retry = flags.retry();
    ASSERT_TRUE(retry && retry->alarm);
    EXPECT_EQ(retry->attempts, 5);
    EXPECT_EQ(retry->first, 2.0);
    EXPECT_FALSE(retry->jitter);
    EXPECT_EQ(retry->alarm->to, "a");
    EXPECT_EQ(retry->alarm->token, "new");
    EXPECT_THAT(
        flags.replaced, ElementsAre(
                            "retry.attempts=5 from --retry.attempts replaces 4 from f.yaml:3:19",
                            "retry.alarm.token=*** from --retry.alarm.token replaces *** from f.yaml:3:63"));
}

TEST(override_in_group, wins_over_a_group_that_the_file_switches_off) {
    overriding flags{"retry: false"};
    flags.give("retry.attempts", {"5"});
    EXPECT_EQ(flags.retry().value().attempts, 5);
    EXPECT_THAT(flags.replaced, ElementsAre("retry=true from --retry.attempts replaces false from f.yaml:3:8"));
}

TEST(override_in_group, has_its_origin_as_its_place) {
    overriding flags{""};
    flags.give("retry.attempts", {"500"}).give("retry.attemps", {"5"}).give("retry.first", {"1", "2"});
    EXPECT_THAT(
        flags.lint(), ElementsAre(
                          "--retry.attemps: error: unknown setting retry.attemps; did you mean retry.attempts?",
                          "--retry.first: error: retry.first takes one value, found 2",
                          "--retry.attempts: error: retry.attempts: expected 1 to 100, found 500"));
    auto alone = *yaml("in: i\n").tree;
    problems found;
    apply(alone, courier, {"retry.attempts", {"5"}, "--retry.attempts"}, found);
    courier.lint(alone, found);
    EXPECT_THAT(
        lines_of(found), ElementsAre("--retry.attempts: warning: retry has no effect without serviceNamespace"));
}

TEST(override_in_group, leaves_a_mistake_of_the_file_for_lint) {
    overriding flags{"retry: 5"};
    flags.give("retry.attempts", {"5"});
    EXPECT_THAT(
        flags.lint(),
        ElementsAre("f.yaml:3:8: error: retry: expected a map of settings, true or false, found text \"***\""));
}

TEST(override_of_group, switches_it_on_and_off) {
    overriding off{"retry: {attempts: 4}"};
    EXPECT_FALSE(off.give("retry", {"false"}).retry());
    EXPECT_THAT(
        off.replaced, ElementsAre("retry=false from --retry replaces "
                                  R"({"attempts":4,"first":1.0,"jitter":true,"only":[]} from f.yaml:3:8)"));
    overriding stays{"retry: {attempts: 4}"};
    EXPECT_EQ(stays.give("retry", {"true"}).retry().value().attempts, 4);
    EXPECT_THAT(stays.replaced, IsEmpty());
    overriding both{""};
    EXPECT_EQ(both.give("retry", {"true"}).give("retry.attempts", {"5"}).retry().value().attempts, 5);
    overriding word{""};
    EXPECT_THAT(
        word.give("retry", {"often"}).lint(),
        ElementsAre("--retry: error: retry: expected a map of settings, true or false, found text \"***\""));
    overriding torn{""};
    EXPECT_THAT(
        torn.give("retry", {"false"}).give("retry.attempts", {"5"}).lint(),
        ElementsAre("--retry.attempts: error: retry is off by --retry"));
}

} // namespace leat::config
