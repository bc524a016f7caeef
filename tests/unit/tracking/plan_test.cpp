#include "tracking/plan.hpp"

#include <gmock/gmock.h>

namespace leat::tracking {
namespace {

TEST(plan, is_empty_when_nothing_is_asked_for) {
    tracking_settings settings;
    settings.service_namespace = "ns";
    auto made = make_plan(settings, {.source = "in", .outs = {"a"}}, {});
    EXPECT_EQ(made.here, "");
    EXPECT_EQ(made.elsewhere, "");
    EXPECT_EQ(made.expire, 60);
    EXPECT_FALSE(made.keeps_bodies);
}

TEST(plan, tells_what_to_do) {
    tracking_settings settings;
    settings.service_namespace = "ns";
    settings.await = "all";
    settings.retry = retry_settings{};
    auto made = make_plan(
        settings, {.source = "in", .outs = {"a", "b\"c"}, .max_length = 7}, redis::parse_url("redis://:x@h/3").value());
    EXPECT_EQ(
        made.here,
        R"({"outs":["a","b\"c"],"await":"all","attempts":3,"first":1.0,"factor":2.0,"max":60.0,)"
        R"("jitter":0.1,"timeout":10,"expire":83,"maxLength":7,"dead":"ns:message:dead","origin":"in","db":3,"server":""})");
    EXPECT_THAT(made.elsewhere, testing::HasSubstr(R"("server":"redis://)"));
    EXPECT_THAT(made.elsewhere, testing::Not(testing::HasSubstr(":x@")));
    EXPECT_EQ(made.expire, 60 + 10 + 1 + 10 + 2);
    EXPECT_TRUE(made.keeps_bodies);
}

TEST(plan, await_all_alone_keeps_no_bodies) {
    tracking_settings settings;
    settings.service_namespace = "ns";
    settings.await = "all";
    auto made = make_plan(settings, {.source = "in", .outs = {"a"}}, {});
    EXPECT_THAT(made.here, testing::HasSubstr("\"attempts\":1"));
    EXPECT_FALSE(made.keeps_bodies);
    EXPECT_EQ(made.expire, 60);
}

TEST(plan, a_schedule_is_all_pauses_and_timeouts_after_the_first) {
    EXPECT_EQ(schedule_seconds({{}, 1}, 10), 0);
    EXPECT_EQ(schedule_seconds({{.first = 0.5}, 2}, 10), 11);
    EXPECT_EQ(schedule_seconds({{.first = 10, .factor = 10, .max = 200}, 5}, 1), 10 + 100 + 200 + 200 + 4);
    EXPECT_EQ(schedule_seconds({{.first = 0, .factor = 100, .max = 0}, 100}, 1), 99);
}

} // namespace
} // namespace leat::tracking
