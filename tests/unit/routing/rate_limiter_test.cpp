#include "routing/rate_limiter.hpp"

#include <gtest/gtest.h>

namespace leat::routing {
namespace {

using namespace std::chrono_literals;
const fixed_window::clock::time_point start{1000s};

TEST(fixed_window, counts_from_the_first_and_begins_anew) {
    fixed_window limit{2, 1000ms};
    EXPECT_TRUE(limit.admit(start));
    EXPECT_TRUE(limit.admit(start + 999ms));
    EXPECT_FALSE(limit.admit(start + 999ms));
    EXPECT_TRUE(limit.admit(start + 1000ms));
    EXPECT_TRUE(limit.admit(start + 1999ms));
    EXPECT_FALSE(limit.admit(start + 1999ms));
    EXPECT_TRUE(limit.admit(start + 60s));
}

TEST(fixed_window, without_a_period_it_never_ends) {
    fixed_window limit{1, 0ms};
    EXPECT_TRUE(limit.admit(start));
    EXPECT_FALSE(limit.admit(start + 24h));
}

TEST(token_bucket, lets_a_burst_through_and_then_an_even_stream) {
    token_bucket limit{10, 1000ms, 3};
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(limit.admit(start));
    }
    EXPECT_FALSE(limit.admit(start));
    EXPECT_FALSE(limit.admit(start + 99ms));
    EXPECT_TRUE(limit.admit(start + 101ms));
    EXPECT_FALSE(limit.admit(start + 102ms));
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(limit.admit(start + 10s));
    }
    EXPECT_FALSE(limit.admit(start + 10s));
}

} // namespace
} // namespace leat::routing
