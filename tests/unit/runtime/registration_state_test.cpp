#include "runtime/registration_state.hpp"

#include <gtest/gtest.h>

namespace leat::runtime {
namespace {

const held_registration held{.id = 9, .last_beat = 1000, .expire = 60, .server = "this"};

registration_state state_at(
    std::int64_t now, store::heartbeat heartbeat, std::int64_t last_id = 9, const std::string& server = "this") {
    return state_of({.state = heartbeat, .now = now, .last_id = last_id, .server = {server}}, held);
}

using enum store::heartbeat;

TEST(lease, is_held_while_the_heartbeat_arrives_however_late) {
    EXPECT_EQ(state_at(1001, renewed), registration_state::held);
    EXPECT_EQ(state_at(5000, renewed, 12), registration_state::held);
}

TEST(lease, a_key_that_cannot_have_expired_was_deleted) {
    EXPECT_EQ(state_at(1059, key_gone), registration_state::remote_shutdown);
    EXPECT_EQ(state_at(1060, key_gone), registration_state::expired);
}

TEST(lease, a_counter_below_our_id_means_that_the_data_is_lost) {
    EXPECT_EQ(state_at(1001, key_gone, 0), registration_state::data_lost);
    EXPECT_EQ(state_at(5000, key_gone, 8), registration_state::data_lost);
}

TEST(lease, a_server_that_came_back_without_our_key_has_lost_it) {
    EXPECT_EQ(state_at(1001, key_gone, 9, "another"), registration_state::data_lost);
    EXPECT_EQ(state_at(5000, key_gone, 9, "another"), registration_state::expired);
}

TEST(lease, an_id_that_is_another_s_was_given_by_a_server_that_forgot_us) {
    EXPECT_EQ(state_at(1001, other_registration), registration_state::data_lost);
}

TEST(lease, whoever_beats_for_us_is_not_us) {
    EXPECT_EQ(state_at(1001, beaten_by_other), registration_state::foreign);
}

} // namespace
} // namespace leat::runtime
