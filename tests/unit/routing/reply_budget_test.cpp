#include "routing/reply_budget.hpp"

#include <gtest/gtest.h>

namespace leat::routing {
namespace {

constexpr std::size_t mebibyte = 1 << 20;

std::size_t room_of(reply_budget& budget) {
    std::size_t sent = 0;
    for (; budget.admits() && sent < 100'000; ++sent) {
        budget.sent();
    }
    for (std::size_t i = 0; i < sent; ++i) {
        budget.lost();
    }
    return sent;
}

void answer(reply_budget& budget, std::size_t bytes, std::size_t times = 1) {
    for (; times > 0; --times) {
        budget.sent();
        budget.answered(bytes);
    }
}

TEST(reply_budget, begins_with_care) {
    reply_budget budget{16 * mebibyte};
    EXPECT_EQ(room_of(budget), 16U);
}

TEST(reply_budget, a_large_reply_is_expected_again) {
    reply_budget budget{16 * mebibyte};
    answer(budget, 5 * mebibyte);
    EXPECT_EQ(room_of(budget), 3U);
    answer(budget, 100);
    EXPECT_EQ(room_of(budget), 3U);
}

TEST(reply_budget, small_replies_open_it_soon) {
    reply_budget budget{16 * mebibyte};
    answer(budget, 10, 20);
    EXPECT_EQ(room_of(budget), 16 * mebibyte / reply_budget::least_expected);
    answer(budget, 10, 10'000); // and no further
    EXPECT_EQ(room_of(budget), 16 * mebibyte / reply_budget::least_expected);
}

TEST(reply_budget, one_command_is_sent_however_large_its_reply) {
    reply_budget budget{mebibyte};
    answer(budget, 500 * mebibyte);
    EXPECT_EQ(room_of(budget), 1U);
    reply_budget tiny{1};
    EXPECT_EQ(room_of(tiny), 1U);
}

TEST(reply_budget, what_is_unanswered_counts_until_it_is_answered_or_lost) {
    reply_budget budget{2 * mebibyte};
    budget.sent();
    budget.sent();
    EXPECT_FALSE(budget.admits());
    budget.lost();
    EXPECT_TRUE(budget.admits());
    budget.sent();
    EXPECT_FALSE(budget.admits());
    budget.answered(mebibyte);
    EXPECT_TRUE(budget.admits());
}

TEST(reply_budget, a_lost_connection_does_not_make_replies_smaller) {
    reply_budget budget{16 * mebibyte};
    answer(budget, 8 * mebibyte);
    for (int i = 0; i < 100; ++i) {
        budget.sent();
        budget.lost();
    }
    EXPECT_EQ(room_of(budget), 2U);
}

} // namespace
} // namespace leat::routing
