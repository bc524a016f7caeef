#include "movers/mover.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace leat::movers {
namespace {

using namespace std::chrono_literals;
using action = mover::action;

const auto start = mover::clock::time_point{} + 1h;

class mover_test : public testing::Test {
protected:
    // A batch came back; a millisecond each, a tenth of that the server's.
    void came(const moved_batch& batch) {
        auto flight = one.begin(now);
        now += 1ms;
        one.land(flight, batch, 1ms);
        one.moved(batch);
    }
    mover::clock::time_point now = start;
    mover one{false, false};
};

TEST_F(mover_test, the_server_is_checked_before_the_first_transfer) {
    EXPECT_EQ(one.next(0).is, action::check);
    one.checked();
    EXPECT_EQ(one.next(0).is, action::transfer);
}

TEST_F(mover_test, it_goes_on_while_there_is_more_else_it_waits_once_for_what_is_missing) {
    one.checked();
    struct {
        moved_batch batch;
        action expected;
    } cases[]{
        {{.moved = 5, .left = 3}, action::transfer},
        {{.moved = 5, .left = 0}, action::await_message},
        {{}, action::await_message},
        {{.left = 3, .full = 2}, action::await_room},
        {{.left = 3, .no_room = true}, action::await_tracking},
        {{.left = 3, .full = 1, .no_room = true}, action::await_room},
    };
    for (const auto& each : cases) {
        came(each.batch);
        EXPECT_EQ(one.next(0).is, each.expected);
        one.waited();
        EXPECT_EQ(one.next(0).is, action::transfer);
    }
    came({.left = 3, .full = 2});
    EXPECT_EQ(one.next(0).out, 1U);
}

TEST_F(mover_test, a_transfer_that_failed_is_made_again) {
    one.checked();
    auto flight = one.begin(now);
    one.land(flight, std::nullopt, 1ms);
    EXPECT_EQ(one.next(0).is, action::transfer);
    EXPECT_EQ(one.counted().batches, 0U);
}

TEST_F(mover_test, a_stop_is_next_whatever_it_waits_for) {
    one.checked();
    came({.left = 3, .full = 1});
    one.stop();
    EXPECT_EQ(one.next(0).is, action::end);
}

// ---- what a dead program left in `pending`

class leftovers : public mover_test {
protected:
    leftovers() { old.checked(); }
    mover old{true, false};
};

TEST_F(leftovers, stay_and_are_looked_at_once_while_others_may_live) {
    EXPECT_EQ(old.next(0).is, action::look_at_pending);
    old.looked_at_pending();
    EXPECT_EQ(old.next(0).is, action::transfer);
}

TEST_F(leftovers, go_back_before_anything_newer_moves) {
    old.looked_at_pending();
    old.alone(true);
    EXPECT_EQ(old.next(2).is, action::await_lanes);
    EXPECT_EQ(old.next(0).is, action::return_pending);
    old.returned(1000, 500);
    EXPECT_EQ(old.take_returned(), 0) << "not all of them yet";
    EXPECT_EQ(old.next(0).is, action::return_pending);
    old.returned(500, 0);
    EXPECT_EQ(old.take_returned(), 1500);
    EXPECT_EQ(old.next(0).is, action::transfer);
    old.alone(true);
    EXPECT_EQ(old.next(0).is, action::return_pending) << "with each heartbeat";
}

TEST_F(leftovers, stay_when_another_service_appears_meanwhile) {
    old.alone(true);
    old.returned(10, 5);
    old.alone(false);
    EXPECT_EQ(old.take_returned(), 10);
    EXPECT_EQ(old.next(0).is, action::transfer);
}

TEST_F(leftovers, are_tried_again_first_but_a_wrong_type_holds_nothing_up) {
    old.alone(true);
    old.return_failed(false);
    EXPECT_EQ(old.next(0).is, action::return_pending);
    old.return_failed(true);
    old.looked_at_pending();
    EXPECT_EQ(old.next(0).is, action::transfer);
}

TEST_F(leftovers, that_went_back_before_a_stop_are_counted) {
    old.alone(true);
    old.returned(10, 5);
    old.stop();
    EXPECT_EQ(old.take_returned(), 10);
}

TEST_F(leftovers, end_the_lanes) {
    moved_batch much{.moved = 1000, .left = 1'000'000, .spent = 1};
    auto flight = old.begin(now);
    old.land(flight, much, 10ms);
    EXPECT_TRUE(old.lane_goes_on(much, 1));
    old.alone(true);
    EXPECT_FALSE(old.lane_goes_on(much, 1));
}

// ---- lanes, and what is remembered of batches

TEST_F(mover_test, lanes_are_added_while_each_finds_work_and_the_window_has_room) {
    moved_batch much{.moved = 1000, .left = 10'000, .spent = 100};
    came(much);
    EXPECT_TRUE(one.wants_lane(much, 1));
    EXPECT_FALSE(one.wants_lane(much, 10)) << "the others have it all";
    EXPECT_FALSE(one.wants_lane({.moved = 1000, .left = 1'000'000}, flight_window::most));
    EXPECT_FALSE(one.wants_lane({.moved = 0, .left = 10'000}, 1));
    EXPECT_FALSE(one.wants_lane({.moved = 10, .left = 10'000, .no_room = true}, 1));
    EXPECT_FALSE(one.lane_goes_on(std::nullopt, 1)) << "the mover meets what went wrong, too";
    one.stop();
    EXPECT_FALSE(one.lane_goes_on(much, 1));
}

TEST_F(mover_test, transfers_that_are_on_the_way_together_go_apart) {
    came({.moved = 1000, .left = 10'000, .spent = 500});
    auto first = one.begin(now);
    auto second = one.begin(now);
    EXPECT_EQ(second.together, 2);
    EXPECT_EQ(second.slot - first.slot, 250us);
}

TEST(mover, large_messages_that_are_tracked_are_few_on_the_way) {
    mover one{false, true};
    mover untracked{false, false};
    for (auto* each : {&one, &untracked}) {
        for (int i = 0; i < 100; ++i) { // a way of 10 milliseconds: many at a time
            each->land(each->begin(start), moved_batch{.moved = 9, .left = 1000, .spent = 100, .tracked = 9}, 10ms);
        }
        EXPECT_TRUE(each->wants_lane({.moved = 9, .left = 1000}, 5));
        each->land(each->begin(start), moved_batch{.moved = 1, .left = 999, .largest = 8 << 20, .tracked = 1}, 10ms);
    }
    EXPECT_FALSE(one.wants_lane({.moved = 1, .left = 999}, 2));
    EXPECT_TRUE(one.lane_goes_on(moved_batch{.moved = 1, .left = 999}, 1));
    untracked.land(untracked.begin(start), moved_batch{.moved = 1, .left = 998, .largest = 8 << 20}, 10ms);
    EXPECT_TRUE(untracked.wants_lane({.moved = 1, .left = 999}, 5));
}

TEST_F(mover_test, a_large_message_is_forgotten_slowly) {
    came({.moved = 1, .left = 1, .largest = 8000});
    came({.moved = 1, .left = 1, .largest = 10});
    EXPECT_EQ(one.largest(), 7000);
}

TEST(mover, a_batch_is_dear_while_what_it_moves_is_tracked) {
    mover one{false, true};
    EXPECT_TRUE(one.tracks());
    auto land = [&one](const moved_batch& batch) { one.land(one.begin(start), batch, 1ms); };
    land({.moved = 100, .left = 5});
    EXPECT_FALSE(one.tracks()) << "beyond its capacity";
    land({});
    EXPECT_TRUE(one.tracks()) << "what comes next may be";
}

TEST_F(mover_test, a_full_list_is_worth_a_line_every_ten_seconds) {
    EXPECT_TRUE(one.waits_for_room(start));
    EXPECT_FALSE(one.waits_for_room(start + 10s));
    EXPECT_TRUE(one.waits_for_room(start + 11s));
    EXPECT_EQ(one.counted().full_waits, 3U);
}

} // namespace
} // namespace leat::movers
