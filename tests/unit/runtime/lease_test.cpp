#include "runtime/lease.hpp"

#include <gtest/gtest.h>

namespace leat::runtime {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t renewed = 0;
constexpr std::int64_t gone = 1;
constexpr std::int64_t another = 2;

TEST(lease, is_held_while_the_heartbeat_arrives_however_late) {
    EXPECT_EQ(judge({.outcome = renewed, .last_id = 9}, 9, 1s, 60s), lease_state::held);
    EXPECT_EQ(judge({.outcome = renewed, .last_id = 12}, 9, 3600s, 60s), lease_state::held);
}

TEST(lease, a_key_that_cannot_have_expired_was_deleted) {
    EXPECT_EQ(judge({.outcome = gone, .last_id = 9}, 9, 59s, 60s), lease_state::remote_shutdown);
    EXPECT_EQ(judge({.outcome = gone, .last_id = 9}, 9, 60s, 60s), lease_state::expired);
}

TEST(lease, a_counter_below_our_id_means_that_the_data_is_lost) {
    EXPECT_EQ(judge({.outcome = gone, .last_id = 0}, 9, 1s, 60s), lease_state::data_lost);
    EXPECT_EQ(judge({.outcome = gone, .last_id = 8}, 9, 3600s, 60s), lease_state::data_lost);
}

TEST(lease, what_another_writes_is_not_ours) {
    EXPECT_EQ(judge({.outcome = another, .last_id = 9}, 9, 1s, 60s), lease_state::foreign);
}

} // namespace
} // namespace leat::runtime
