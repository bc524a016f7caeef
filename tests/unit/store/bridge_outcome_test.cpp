// What the scripts of a bridge answer, as their callers see it.
#include "store/bridge.hpp"

#include <gmock/gmock.h>

namespace leat::store {
namespace {

using redis::node;
using type = node::type;

redis::reply told(std::vector<node> claims, std::vector<node> rest) {
    redis::reply made;
    made.nodes = {{type::group, 0, {}}, {type::whole, 1, "1"}, {type::whole, 1, "2"}, {type::whole, 1, "-1"}};
    made.nodes.push_back({type::group, 1, {}});
    made.nodes.insert(made.nodes.end(), claims.begin(), claims.end());
    made.nodes.push_back({type::text, 1, "NOPERM out:web"});
    made.nodes.insert(made.nodes.end(), rest.begin(), rest.end());
    return made;
}

std::vector<node> texts(std::initializer_list<const char*> words) {
    std::vector<node> made;
    for (const auto* each : words) {
        made.push_back({type::text, 2, each});
    }
    return made;
}

TEST(bridge_outcome, has_answers_and_claims) {
    message::min_message_info ids{.request_id = "q", .response_id = "r", .conversation_id = "c"};
    auto member = message::to_text(ids);
    auto answers = texts({"REGISTERED", "0", "", "WAIT_ACK", "250", "why"});
    answers.insert(answers.begin(), {type::group, 1, {}});
    auto seen = read_bridge_outcome(
        bridge_verb::accept, told(texts({member.c_str(), "77", "1700", "3", "2", "web", "{}"}), answers));
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->claimed, 1);
    EXPECT_EQ(seen->ready, 2);
    EXPECT_EQ(seen->due, -1);
    EXPECT_EQ(seen->refused, "NOPERM out:web");
    ASSERT_EQ(seen->answers.size(), 2U);
    EXPECT_EQ(seen->answers[0].state, bridge_state::registered);
    EXPECT_EQ(seen->answers[1].state, bridge_state::wait_ack);
    EXPECT_EQ(seen->answers[1].waits, 250);
    EXPECT_EQ(seen->answers[1].detail, "why");
    ASSERT_EQ(seen->claims.size(), 1U);
    const auto& claim = seen->claims[0];
    EXPECT_EQ(claim.ids.response_id, "r");
    EXPECT_EQ(claim.token, 77);
    EXPECT_EQ(claim.timestamp, 1700);
    EXPECT_EQ(claim.number, 3);
    EXPECT_EQ(claim.attempt, 2);
    EXPECT_EQ(claim.origin, "web");
    EXPECT_EQ(claim.task, "{}");
}

TEST(bridge_outcome, of_a_collection_says_how_many_were_due) {
    auto seen = read_collected(told({}, {{type::whole, 1, "9"}}));
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->seen, 9);
    EXPECT_TRUE(seen->claims.empty());
}

TEST(bridge_outcome, of_another_form_is_a_failure) {
    redis::reply other{{{type::group, 0, {}}, {type::whole, 1, "1"}, {type::group, 1, {}}}};
    for (const auto& seen : {read_bridge_outcome(bridge_verb::edit, other), read_collected(other)}) {
        ASSERT_FALSE(seen);
        EXPECT_EQ(seen.error().kind, redis::error_class::await_repair);
    }
}

} // namespace
} // namespace leat::store
