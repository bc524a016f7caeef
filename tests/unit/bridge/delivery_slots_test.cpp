#include "bridge/delivery_slots.hpp"

#include <gtest/gtest.h>

namespace leat::bridge {
namespace {

using namespace std::chrono_literals;

const delivery_slots::clock::time_point now{1h};

TEST(delivery_slots, there_is_room_for_so_many) {
    delivery_slots slots{3, 30s};
    EXPECT_EQ(slots.room(now), 3);
    slots.take(2, now);
    EXPECT_EQ(slots.room(now), 1);
    EXPECT_EQ(slots.held(), 2);
    slots.free(1);
    EXPECT_EQ(slots.room(now), 2);
}

TEST(delivery_slots, they_tell_when_time_alone_makes_room) {
    delivery_slots slots{3, 30s};
    EXPECT_FALSE(slots.next_release());
    slots.take(1, now);
    slots.take(1, now + 5s);
    EXPECT_EQ(slots.next_release(), now + 30s);
    slots.free(1);
    EXPECT_EQ(slots.next_release(), now + 35s);
}

TEST(delivery_slots, taking_nothing_is_nothing) {
    delivery_slots slots{3, 30s};
    slots.take(0, now);
    slots.take(-1, now);
    EXPECT_EQ(slots.room(now), 3);
}

TEST(delivery_slots, more_than_there_was_room_for_is_never_less_than_none) {
    delivery_slots slots{2, 30s};
    slots.take(5, now);
    EXPECT_EQ(slots.room(now), 0);
    slots.free(3);
    EXPECT_EQ(slots.room(now), 0);
    slots.free(1);
    EXPECT_EQ(slots.room(now), 1);
}

TEST(delivery_slots, outcomes_of_what_others_have_delivered_free_no_more_than_was_taken) {
    delivery_slots slots{2, 30s};
    slots.take(1, now);
    slots.free(7);
    EXPECT_EQ(slots.room(now), 2);
    EXPECT_EQ(slots.held(), 0);
    slots.free(1);
    EXPECT_EQ(slots.held(), 0);
}

TEST(delivery_slots, none_is_held_for_longer_than_a_lease) {
    delivery_slots slots{5, 30s};
    slots.take(2, now);
    slots.take(1, now + 10s);
    EXPECT_EQ(slots.room(now + 30s - 1ms), 2);
    EXPECT_EQ(slots.room(now + 30s), 4);
    EXPECT_EQ(slots.room(now + 40s), 5);
    EXPECT_EQ(slots.held(), 0);
}

TEST(delivery_slots, an_outcome_frees_the_oldest) {
    delivery_slots slots{5, 30s};
    slots.take(2, now);
    slots.take(2, now + 10s);
    slots.free(3);
    EXPECT_EQ(slots.room(now + 30s), 4) << "the one that is left is of the second call";
    EXPECT_EQ(slots.room(now + 40s), 5);
}

} // namespace
} // namespace leat::bridge
