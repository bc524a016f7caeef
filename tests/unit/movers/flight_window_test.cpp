#include "movers/flight_window.hpp"

#include <gtest/gtest.h>

namespace leat::movers {
namespace {

using namespace std::chrono_literals;

flight_window after_one(std::chrono::microseconds way, std::chrono::microseconds work) {
    flight_window window;
    window.answered(way + work, work, 1);
    return window;
}

TEST(flight_window, begins_with_one) {
    EXPECT_EQ(flight_window{}.size(), 1);
    EXPECT_EQ(flight_window{}.spacing(), 0ms);
}

TEST(flight_window, two_are_enough_beside_the_server) {
    EXPECT_EQ(after_one(100us, 800us).size(), 2);
}

TEST(flight_window, a_long_way_is_filled) {
    EXPECT_EQ(after_one(3ms, 1ms).size(), 7);
    EXPECT_EQ(after_one(1s, 1ms).size(), flight_window::most);
}

TEST(flight_window, only_a_call_that_was_alone_measures_the_way) {
    auto window = after_one(100us, 800us);
    for (int i = 0; i < 100; ++i) {
        window.answered(50ms, 800us, 2);
    }
    EXPECT_EQ(window.size(), 2);
}

TEST(flight_window, one_hiccup_is_forgotten) {
    auto window = after_one(100us, 1ms);
    window.answered(50ms, 1ms, 1);
    for (int i = 0; i < 10; ++i) {
        window.answered(1100us, 1ms, 1);
    }
    EXPECT_EQ(window.size(), 2);
}

TEST(flight_window, now_and_then_one_goes_alone_to_measure_anew) {
    auto window = after_one(100us, 1ms);
    for (int i = 0; i < flight_window::measured_anew_after; ++i) {
        window.answered(5ms, 1ms, 2);
    }
    EXPECT_EQ(window.size(), 1);
    window.answered(9ms, 1ms, 1);
    EXPECT_EQ(window.size(), 8);
}

TEST(flight_window, a_server_that_does_not_tell_gets_one_at_a_time) {
    EXPECT_EQ(after_one(1ms, 0us).size(), 1);
}

TEST(flight_window, spreads_the_calls_out) {
    EXPECT_EQ(after_one(100us, 800us).spacing(), 400us);
}

} // namespace
} // namespace leat::movers
