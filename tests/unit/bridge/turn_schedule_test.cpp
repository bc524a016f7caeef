#include "bridge/awaited_agent.hpp"

#include <gtest/gtest.h>

namespace leat::bridge {
namespace {

using namespace std::chrono_literals;

const turn_schedule::clock::time_point now{1h};

TEST(turn_schedule, the_first_turn_is_at_its_second_of_the_minute) {
    struct {
        int second;
        std::chrono::milliseconds of_minute;
        std::chrono::milliseconds wait;
    } cases[]{
        {0, 0ms, 0ms},  {59, 0ms, 59s},           {30, 10s, 20s},     {10, 30s, 40s},
        {30, 30s, 0ms}, {30, 30'001ms, 59'999ms}, {0, 59'999ms, 1ms}, {59, 59'999ms, 59'001ms},
    };
    for (const auto& each : cases) {
        turn_schedule turns{20s, each.second, each.of_minute, now};
        EXPECT_EQ(turns.next(), now + each.wait) << each.second << " " << each.of_minute.count();
    }
}

TEST(turn_schedule, a_turn_is_due_from_its_time_on) {
    turn_schedule turns{20s, 5, 0ms, now};
    EXPECT_FALSE(turns.due(now + 5s - 1ms));
    EXPECT_TRUE(turns.due(now + 5s));
    EXPECT_TRUE(turns.due(now + 1h));
}

TEST(turn_schedule, then_they_come_at_the_interval_however_long_each_took) {
    turn_schedule turns{20s, 5, 0ms, now};
    turns.done(now + 5s + 300ms);
    EXPECT_EQ(turns.next(), now + 25s);
    turns.done(now + 44s);
    EXPECT_EQ(turns.next(), now + 45s);
}

TEST(turn_schedule, turns_that_were_missed_are_not_made_up_for) {
    turn_schedule turns{20s, 5, 0ms, now};
    turns.done(now + 100s);
    EXPECT_EQ(turns.next(), now + 100s);
    turns.done(now + 101s);
    EXPECT_EQ(turns.next(), now + 120s);
}

} // namespace
} // namespace leat::bridge
