#include "runtime/lease.hpp"

#include <gtest/gtest.h>

namespace leat::runtime {
namespace {

const lease held{.id = 9, .last_beat = 1000, .expire = 60, .server = "this"};

lease_state judge_at(
    std::int64_t now, std::int64_t outcome, std::int64_t last_id = 9, const std::string& server = "this") {
    return judge({.outcome = outcome, .now = now, .last_id = last_id, .server = {server}}, held);
}

constexpr std::int64_t renewed = 0;
constexpr std::int64_t gone = 1;
constexpr std::int64_t beaten = 2;
constexpr std::int64_t another = 3;

TEST(lease, is_held_while_the_heartbeat_arrives_however_late) {
    EXPECT_EQ(judge_at(1001, renewed), lease_state::held);
    EXPECT_EQ(judge_at(5000, renewed, 12), lease_state::held);
}

TEST(lease, a_key_that_cannot_have_expired_was_deleted) {
    EXPECT_EQ(judge_at(1059, gone), lease_state::remote_shutdown);
    EXPECT_EQ(judge_at(1060, gone), lease_state::expired);
}

TEST(lease, a_counter_below_our_id_means_that_the_data_is_lost) {
    EXPECT_EQ(judge_at(1001, gone, 0), lease_state::data_lost);
    EXPECT_EQ(judge_at(5000, gone, 8), lease_state::data_lost);
}

TEST(lease, a_server_that_came_back_without_our_key_has_lost_it) {
    EXPECT_EQ(judge_at(1001, gone, 9, "another"), lease_state::data_lost);
    EXPECT_EQ(judge_at(5000, gone, 9, "another"), lease_state::expired);
}

TEST(lease, an_id_that_is_another_s_was_given_by_a_server_that_forgot_us) {
    EXPECT_EQ(judge_at(1001, another), lease_state::data_lost);
}

TEST(lease, whoever_beats_for_us_is_not_us) {
    EXPECT_EQ(judge_at(1001, beaten), lease_state::foreign);
}

} // namespace
} // namespace leat::runtime
