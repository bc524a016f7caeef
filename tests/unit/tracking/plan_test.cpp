#include "tracking/plan.hpp"

#include <gmock/gmock.h>

namespace leat::tracking {
namespace {

TEST(plan, is_empty_when_nothing_is_asked_for) {
    tracking_settings settings;
    auto made = make_plan(settings, {"a"}, "in", 0, "dead");
    EXPECT_EQ(made.text, "");
    EXPECT_EQ(made.expire, 60);
    EXPECT_FALSE(made.keeps_bodies);
}

TEST(plan, tells_what_to_do) {
    tracking_settings settings;
    settings.await = "all";
    settings.retry = retry_settings{};
    auto made = make_plan(settings, {"a", "b\"c"}, "in", 7, "dead");
    EXPECT_EQ(
        made.text, R"({"outs":["a","b\"c"],"await":"all","attempts":3,"first":1.0,"factor":2.0,"max":60.0,)"
                   R"("jitter":0.1,"timeout":10,"expire":83,"maxLength":7,"dead":"dead","origin":"in"})");
    EXPECT_EQ(made.expire, 60 + 10 + 1 + 10 + 2);
    EXPECT_TRUE(made.keeps_bodies);
}

TEST(plan, await_all_alone_keeps_no_bodies) {
    tracking_settings settings;
    settings.await = "all";
    auto made = make_plan(settings, {"a"}, "in", 0, "dead");
    EXPECT_THAT(made.text, testing::HasSubstr("\"attempts\":1"));
    EXPECT_FALSE(made.keeps_bodies);
    EXPECT_EQ(made.expire, 60);
}

TEST(plan, a_schedule_is_all_pauses_and_timeouts_after_the_first) {
    EXPECT_EQ(schedule_seconds({.attempts = 1}, 10), 0);
    EXPECT_EQ(schedule_seconds({.attempts = 2, .first = 0.5}, 10), 11);
    EXPECT_EQ(schedule_seconds({.attempts = 5, .first = 10, .factor = 10, .max = 200}, 1), 10 + 100 + 200 + 200 + 4);
    EXPECT_EQ(schedule_seconds({.attempts = 100, .first = 0, .factor = 100, .max = 0}, 1), 99);
}

} // namespace
} // namespace leat::tracking
