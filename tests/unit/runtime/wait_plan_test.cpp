#include "runtime/wait_plan.hpp"

#include <gtest/gtest.h>

namespace leat::runtime {
namespace {

using namespace std::chrono_literals;
using clock = wait_plan::clock;

// A wait for one message, with a tick of ten seconds.
class waiting : public testing::Test {
protected:
    bool begin(clock::time_point latest = clock::time_point::max()) { return plan_.begin(changes_, now_, latest); }
    void answer(std::optional<std::int64_t> length) { plan_.answered(length, now_); }
    std::optional<clock::duration> sleep() {
        return plan_.sleep(changes_, called_off_, [this](std::int64_t length) { return length >= enough_; }, now_);
    }
    bool is_over() { return !sleep(); }

    wait_plan plan_{10s};
    std::uint64_t changes_ = 7; // what was heard before does not count
    bool called_off_ = false;
    std::int64_t enough_ = 1;
    clock::time_point now_{1000s};
};

TEST_F(waiting, asks_and_is_over_when_there_is_enough) {
    EXPECT_TRUE(begin());
    EXPECT_FALSE(is_over());
    answer(1);
    EXPECT_TRUE(is_over());
}

TEST_F(waiting, asks_once_and_sleeps_until_the_list_changes) {
    EXPECT_TRUE(begin());
    answer(0);
    now_ += 4s;
    EXPECT_EQ(sleep(), 6s);
    ++changes_;
    EXPECT_TRUE(is_over());
    EXPECT_TRUE(begin()) << "every wait asks anew";
}

TEST_F(waiting, a_hint_that_overtakes_the_answer_is_not_missed) {
    begin();
    ++changes_; // somebody pushed after the length was read, and the hint is here first
    EXPECT_FALSE(is_over()) << "the answer is on the way";
    answer(0);
    EXPECT_TRUE(is_over());
}

TEST_F(waiting, a_hint_that_overtakes_who_waits_is_not_missed) {
    begin();
    called_off_ = true;
    EXPECT_TRUE(is_over());
    called_off_ = false;
    ++changes_; // between two waits, with the question still on the way
    EXPECT_FALSE(begin());
    answer(0);
    EXPECT_TRUE(is_over()) << "it counts from before the question";
}

TEST_F(waiting, an_answer_between_two_waits_is_of_no_use_to_the_later) {
    begin();
    answer(5);
    EXPECT_TRUE(begin());
    EXPECT_FALSE(is_over());
    answer(0);
    EXPECT_FALSE(is_over());
}

TEST_F(waiting, a_lost_hint_costs_a_tick) {
    begin();
    answer(0);
    now_ += 10s - 1ms;
    EXPECT_EQ(sleep(), 1ms);
    now_ += 1ms;
    EXPECT_TRUE(is_over());
}

TEST_F(waiting, a_question_that_hangs_costs_a_tick_and_is_not_asked_twice) {
    begin();
    now_ += 10s;
    EXPECT_TRUE(is_over());
    EXPECT_FALSE(begin());
    EXPECT_EQ(sleep(), 10s);
    answer(1);
    EXPECT_TRUE(is_over());
}

TEST_F(waiting, without_a_connection_a_second_is_long_enough) {
    begin();
    now_ += 2s;
    answer(std::nullopt);
    EXPECT_EQ(sleep(), 1s);
    now_ += 1s;
    EXPECT_TRUE(is_over());
}

TEST_F(waiting, a_tick_that_is_nearer_than_that_second_counts) {
    begin();
    now_ += 9500ms;
    answer(std::nullopt);
    EXPECT_EQ(sleep(), 500ms);
}

TEST_F(waiting, a_reconnect_is_a_change_of_every_list) {
    begin();
    answer(std::nullopt); // the connection is gone
    ++changes_;           // and here again
    EXPECT_TRUE(is_over());
    EXPECT_TRUE(begin());
    answer(0);
    EXPECT_EQ(sleep(), 10s) << "no longer in a hurry";
}

TEST_F(waiting, a_stop_ends_it_whatever_is_on_the_way) {
    begin();
    called_off_ = true;
    EXPECT_TRUE(is_over());
}

TEST_F(waiting, it_lasts_no_longer_than_it_may) {
    begin(now_ + 300ms);
    EXPECT_EQ(sleep(), 300ms) << "also for an answer";
    answer(0);
    now_ += 299ms;
    EXPECT_EQ(sleep(), 1ms);
    now_ += 1ms;
    EXPECT_TRUE(is_over());
}

TEST_F(waiting, who_waits_may_change_its_mind) {
    enough_ = 5;
    begin();
    answer(3);
    EXPECT_FALSE(is_over());
    enough_ = 3;
    EXPECT_TRUE(is_over());
}

} // namespace
} // namespace leat::runtime
