#include "config/spec.hpp"
#include "reading.hpp"

namespace leat::config {
namespace {

struct pauses {
    double first = 1.0;
};
struct settings {
    std::int64_t lease = 30;
    std::int64_t timeout = 1000;
    double pause = 0.5;
    std::int64_t count = 3;
    std::int64_t life = 1000;
    std::optional<pauses> retry;
};

const spec<settings>& timed() {
    static const spec<settings> made{
        "timed",
        "Has durations.",
        "",
        {field("lease", &settings::lease, "Seconds.").range(2, 90'000).unit("s"),
         field("timeout", &settings::timeout, "Milliseconds.").range(1, 86'400'000).unit("ms"),
         field("pause", &settings::pause, "Seconds and parts of them.").range(0, 86'400).unit("s"),
         field("count", &settings::count, "No duration.").range(1, 100),
         field("life", &settings::life, "With groups of digits.").range(1, 1'000'000).unit("ms").grouped(),
         group("retry", &settings::retry, "A group.", {field("first", &pauses::first, "Seconds.").unit("s")})},
        {}};
    return made;
}

struct outcome {
    std::optional<settings> read;
    std::vector<std::string> told;
};

outcome read(const std::string& text) {
    problems found;
    auto tree = read_text(text, "x.yaml", syntax::yaml, variables({}), found);
    auto made = timed().read(tree.value(), found);
    return {made, lines_of(found)};
}

TEST(plain_numbers, durations_may_have_a_unit_of_their_own) {
    auto all = read("lease: 5m\ntimeout: 2s\npause: 250ms\nretry: {first: 1.5h}\n");
    ASSERT_TRUE(all.read) << all.told.front();
    EXPECT_TRUE(all.told.empty());
    EXPECT_EQ(all.read->lease, 300);
    EXPECT_EQ(all.read->timeout, 2000);
    EXPECT_DOUBLE_EQ(all.read->pause, 0.25);
    EXPECT_DOUBLE_EQ(all.read->retry->first, 5400);
    EXPECT_EQ(read("lease: 1d").read->lease, 86'400);
    EXPECT_EQ(read("lease: 3000ms").read->lease, 3);
    EXPECT_EQ(read("lease: 7").read->lease, 7) << "a bare number keeps the unit that is documented";
}

TEST(plain_numbers, what_is_no_duration_is_told) {
    EXPECT_EQ(
        read("lease: 2x").told,
        std::vector<std::string>{
            "x.yaml:1:8: error: lease: expected a whole number of s, or a duration with its unit (ms, s, m, h "
            "or d), found text \"2x\""});
    EXPECT_EQ(
        read("lease: 2500ms").told,
        std::vector<std::string>{"x.yaml:1:8: error: lease: 2500ms is no whole number of s"});
    for (const auto* each :
         {"lease: s", "lease: 1.2.3s", "lease: -2s", "lease: 2 s", "lease: 2S", "count: 2s", "lease: [2s]",
          "lease: 1e3s"}) {
        EXPECT_FALSE(read(each).read) << each;
    }
    EXPECT_FALSE(read("lease: 1s").read) << "below its bound";
    EXPECT_FALSE(read("lease: 99999999999999999999d").read);
}

TEST(plain_numbers, a_point_is_refused_where_it_may_stand_between_groups_of_digits) {
    EXPECT_EQ(read("life: 900.000").read->life, 900'000);
    EXPECT_EQ(read("life: 900s").read->life, 900'000);
    EXPECT_FALSE(read("life: 900.000ms").read);
    EXPECT_FALSE(read("life: 1.5s").read);
}

TEST(plain_numbers, a_bare_number_that_looks_like_another_unit_is_warned_of) {
    EXPECT_EQ(
        read("timeout: 2").told,
        std::vector<std::string>{"x.yaml:1:10: warning: timeout: 2 is 2 ms; write 2ms, or 2s when seconds are meant"});
    EXPECT_EQ(
        read("lease: 5000").told,
        std::vector<std::string>{
            "x.yaml:1:8: warning: lease: 5000 is 5000 s; write 5000s, or 5000ms when milliseconds are meant"});
    for (const auto* each : {"timeout: 2ms", "timeout: 10", "lease: 5000s", "lease: 3600", "lease: 500", "pause: 2"}) {
        EXPECT_TRUE(read(each).told.empty()) << each;
    }
}

} // namespace
} // namespace leat::config
