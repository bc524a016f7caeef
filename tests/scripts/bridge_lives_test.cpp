// How long a response lives, and what holds at the end of its life: with an acknowledgement, a retry, an announcement
// or an id that others use.
#include "support/bridge_case.hpp"

#include <gmock/gmock.h>

namespace leat::tests {
namespace {

using state = store::bridge_state;
using sending = store::bridge_sending;
using testing::ElementsAre;
using testing::IsEmpty;

class bridge_lives : public testing::TestWithParam<std::string> {
protected:
    clocked_server server{GetParam()};
    bridge_user user{server};

    void SetUp() override {
        user.rules.message_ttl = 1'000;
        user.rules.awaited_ttl = 4'000;
        user.rules.pending_ttl = 3'000;
        user.rules.margin = 500;
        user.rules.sent_ttl = 4'000;
        user.rules.retry_base = 1'500;
    }

    // What was told, in its order: event, response, reason.
    std::vector<std::string> events() {
        std::vector<std::string> found;
        for (const auto& each : user.redis.call({"XRANGE", "bridge:queue:events", "-", "+"}).items) {
            auto fields = each.items.at(1).texts();
            auto ids = message::read_min_message_info(fields.at(3));
            found.push_back(
                std::string{fields.at(1)} + " " + ids->response_id + (fields.at(7).empty() ? "" : " ") +
                std::string{fields.at(7)});
        }
        return found;
    }
    void advance_to_claim() {
        for (int i = 0; i < 100 && user.claims.empty(); ++i) {
            user.serve(std::max<std::int64_t>(1, user.collect().due));
            user.collect();
        }
    }
};

INSTANTIATE_TEST_SUITE_P(servers, bridge_lives, testing::ValuesIn(server_flavours()));

TEST_P(bridge_lives, what_was_sent_at_the_end_of_its_life_keeps_its_place_until_the_acknowledgement) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    server.advance(1'500);
    user.complete(user.claim(), sending::recoverable, "busy");
    advance_to_claim();
    EXPECT_EQ(user.complete(user.claim(), sending::sent_async, "n"), state::sent);
    server.advance(1'500); // its life would be over
    user.request("c", "B");
    EXPECT_EQ(user.respond("c", "B", "B1"), state::wait_response);
    EXPECT_EQ(user.acknowledge("n", sending::fatal), state::cancelled);
    EXPECT_GT(user.ttl("bridge:queue:req:A"), 0);
    EXPECT_EQ(user.claim().ids.response_id, "B1");
    EXPECT_THAT(events(), ElementsAre("cancelled A1 said so"));
}

TEST_P(bridge_lives, errors_by_acknowledgement_do_not_renew_a_life) {
    user.rules.retry_base = 10;
    user.rules.sent_ttl = 1'000;
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1");
    user.respond("c", "B", "B1");
    auto began = server.now();
    int tries = 0;
    for (; tries < 200; ++tries) {
        advance_to_claim();
        auto claim = user.claim();
        if (claim.ids.response_id == "B1") {
            break;
        }
        auto name = "n" + std::to_string(tries);
        user.complete(claim, sending::sent_async, name);
        server.advance(100);
        user.acknowledge(name, sending::recoverable);
    }
    EXPECT_GT(tries, 5);
    EXPECT_LE(server.now() - began, user.rules.awaited_ttl + 2'000);
    EXPECT_THAT(events(), ElementsAre("expired A1"));
}

TEST_P(bridge_lives, further_replies_are_awaited_though_the_acknowledgement_of_the_first_does_not_come) {
    user.rules.message_ttl = 3'000;
    user.rules.sent_ttl = 1'000;
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1", true);
    user.respond("c", "B", "B1");
    user.complete(user.claim(), sending::sent_async, "n");
    server.advance(1'500);
    user.collect();
    EXPECT_THAT(events(), ElementsAre("no-ack A1"));
    EXPECT_THAT(user.claims, IsEmpty()) << "A has announced more";
    user.respond("c", "A", "A2");
    EXPECT_EQ(user.claim().ids.response_id, "A2");
}

TEST_P(bridge_lives, the_outcome_of_a_retry_counts_though_its_life_ended_while_it_was_sent) {
    for (auto how : {sending::fatal, sending::sent}) {
        user.redis.call({"FLUSHALL"});
        user.claims.clear();
        user.request("c", "A");
        user.respond("c", "A", "A1");
        user.respond("c", "A", "A2");
        server.advance(1'000);
        user.complete(user.claim(), sending::recoverable, "busy");
        advance_to_claim(); // at 2.5 s
        auto again = user.claim();
        EXPECT_EQ(again.attempt, 2);
        server.advance(2'200);
        user.collect();
        EXPECT_THAT(user.claims, IsEmpty());
        if (how == sending::fatal) {
            EXPECT_EQ(user.complete(again, how, "gone"), state::cancelled);
            EXPECT_THAT(events(), ElementsAre("cancelled A1 gone", "cancelled A2 gone"));
        } else {
            EXPECT_EQ(user.complete(again, how), state::delivered);
            EXPECT_THAT(events(), ElementsAre("delivered A1"));
            EXPECT_EQ(user.claim().ids.response_id, "A2");
        }
    }
}

TEST_P(bridge_lives, a_client_that_never_answers_is_not_tried_for_ever) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1");
    user.respond("c", "B", "B1");
    int tries = 0;
    for (; tries < 20 && user.claims.back().ids.response_id == "A1"; ++tries) {
        user.claims.clear();
        advance_to_claim();
    }
    EXPECT_EQ(tries, 2);
    EXPECT_THAT(events(), ElementsAre("expired A1"));
}

TEST_P(bridge_lives, an_id_that_another_conversation_uses_by_now_is_left_alone) {
    user.rules.keep_ttl = user.rules.awaited_ttl;
    user.request("c", "A");
    user.respond("c", "A", "same");
    user.claims.clear();                         // whoever had it is dead
    server.advance(2 * user.rules.keep_ttl + 1); // only its date is left
    user.request("d", "D");
    user.room = 0;
    user.respond("d", "D", "same");
    user.room = 10;
    user.collect();
    EXPECT_EQ(user.hash("bridge:queue:res:same")["conversationId"], "d");
    EXPECT_EQ(user.claim().ids.conversation_id, "d");
    EXPECT_THAT(events(), ElementsAre("expired same"));
}

TEST_P(bridge_lives, what_failed_after_it_was_sent_is_not_taken_for_unacknowledged) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    user.complete(user.claim(), sending::sent_async, "n");
    user.acknowledge("n", sending::recoverable);
    user.serve(user.rules.awaited_ttl + 2'000);
    user.collect();
    EXPECT_EQ(events().at(0), "expired A1");
}

TEST_P(bridge_lives, an_early_error_by_acknowledgement_keeps_its_reason) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    EXPECT_EQ(user.acknowledge("n", sending::fatal), state::early);
    EXPECT_EQ(user.complete(user.claim(), sending::sent_async, "n"), state::cancelled);
    EXPECT_THAT(events(), ElementsAre("cancelled A1 said so"));
    EXPECT_EQ(user.respond("c", "A", "A2"), state::cancelled);
    EXPECT_EQ(user.hash("bridge:queue:req:A")["reason"], "said so");
}

TEST_P(bridge_lives, who_only_waited_for_a_sibling_was_not_retried) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    user.complete(user.claim(), sending::recoverable, "busy");
    advance_to_claim();
    user.complete(user.claim());
    EXPECT_EQ(user.claim().ids.response_id, "A2");
    EXPECT_EQ(user.hash("bridge:queue:res:A2")["awaitedRetries"], "0");
}

TEST_P(bridge_lives, a_gateway_that_is_away_takes_no_room_from_others) {
    user.setup.out = "out";
    user.room = 1;
    auto come = [this](const std::string& id, const std::string& origin) {
        user.request(id, "q" + id, 0, origin);
        store::bridge_response given{
            .ids = {"q" + id, "s" + id, id}, .origin = origin, .timestamp = 0, .task = "{}", .more = false};
        return user.run(store::bridge_verb::accept, {store::item_of(given)});
    };
    EXPECT_EQ(come("1", "down").claimed, 1);
    server.advance(2'501); // past its deadline
    user.room = 0;
    auto second = come("2", "down");
    EXPECT_EQ(second.claimed, 0) << "pushed, once, without room";
    EXPECT_EQ(user.redis.call({"LLEN", "out:down"}).whole, 2);
    EXPECT_EQ(come("3", "up").ready, 1);
    user.room = 1;
    server.advance(3'000); // the leases are over
    for (int i = 0; i < 3; ++i) {
        user.collect();
    }
    EXPECT_EQ(user.redis.call({"LLEN", "out:down"}).whole, 2) << "not a second time";
    EXPECT_EQ(user.redis.call({"LLEN", "out:up"}).whole, 1);
}

TEST_P(bridge_lives, a_clock_that_is_years_ahead_is_not_believed) {
    user.request("c", "A", (std::int64_t{1} << 41) - 1);
    user.request("c", "B");
    auto first = std::stoll(user.hash("bridge:queue:req:A")["requestTimestamp"]);
    EXPECT_EQ(first, server.now() + 86'400'000);
    EXPECT_EQ(std::stoll(user.hash("bridge:queue:req:B")["requestTimestamp"]), first + 1);
}

} // namespace
} // namespace leat::tests
