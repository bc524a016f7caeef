#include "store/keys.hpp"
#include "store/scripts.hpp"
#include "support/bridge_case.hpp"
#include "support/script_case.hpp"

#include <gmock/gmock.h>

namespace leat::tests {
namespace {

using state = store::bridge_state;
using sending = store::bridge_sending;
using testing::ElementsAre;
using testing::IsEmpty;

std::string text(const std::string& request, const std::string& response, const std::string& conversation = "c") {
    return message::to_text({request, response, conversation});
}

class bridge_script : public testing::TestWithParam<std::string> {
protected:
    clocked_server server{GetParam()};
    bridge_user user{server};

    std::vector<std::string> keys() {
        std::vector<std::string> found;
        for (const auto& [key, content] : user.keyspace()) {
            if (key != "bridge:queue:counts" && key != "bridge:queue:events" && key != "bridge:queue:state") {
                found.push_back(key);
            }
        }
        return found;
    }
    // All that is left is over in time.
    void expect_nothing_left() {
        for (int i = 0; i < 200 && user.collect().due >= 0; ++i) {
            server.advance(30'000);
        }
        server.advance(user.rules.keep_ttl);
        user.collect();
        EXPECT_THAT(keys(), IsEmpty());
    }
};

INSTANTIATE_TEST_SUITE_P(servers, bridge_script, testing::ValuesIn(server_flavours()));

TEST_P(bridge_script, a_reply_is_claimed_at_once_and_leaves_nothing_but_a_tombstone) {
    EXPECT_EQ(user.request("c", "A"), state::registered);
    EXPECT_EQ(user.respond("c", "A", "A1"), state::claimed);
    auto claim = user.claim();
    EXPECT_EQ(claim.ids, (message::min_message_info{"A", "A1", "c"}));
    EXPECT_EQ(claim.number, 1);
    EXPECT_EQ(claim.attempt, 1);
    EXPECT_EQ(claim.task, R"({"body":"A1"})");
    EXPECT_EQ(user.complete(claim), state::delivered);
    EXPECT_THAT(keys(), ElementsAre("bridge:queue:req:A"));
    EXPECT_EQ(user.ttl("bridge:queue:req:A"), 60'000);
    EXPECT_EQ(user.counted("delivered"), 1);
    expect_nothing_left();
}

TEST_P(bridge_script, registering_twice_is_registering_once) {
    user.request("c", "A", 1'700'000'000'500);
    auto before = user.keyspace();
    EXPECT_EQ(user.request("c", "A", 1'700'000'000'900), state::existing);
    EXPECT_EQ(user.keyspace(), before);
    EXPECT_EQ(user.request("other", "A"), state::conflict);
    EXPECT_EQ(user.request("c", "A", 0, "teams"), state::conflict);
    EXPECT_EQ(user.keyspace(), before);
}

TEST_P(bridge_script, a_later_request_waits_for_the_earlier_until_it_expires) {
    user.request("c", "A");
    server.advance(3'000);
    user.request("c", "B");
    EXPECT_EQ(user.respond("c", "B", "B1"), state::wait_request);
    server.advance(6'999);
    EXPECT_THAT(user.collect().claims, IsEmpty());
    server.advance(2);
    auto woken = user.collect();
    ASSERT_EQ(woken.claims.size(), 1U);
    EXPECT_EQ(woken.claims[0].ids.response_id, "B1");
}

TEST_P(bridge_script, the_wait_for_a_request_ends_at_its_expiry_to_the_millisecond) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "B", "B1");
    auto due = user.collect().due;
    EXPECT_GT(due, 9'990);
    EXPECT_LE(due, 10'001);
    server.advance(due);
    EXPECT_EQ(user.collect().claimed, 1);
}

TEST_P(bridge_script, order_is_by_arrival_whatever_the_clocks_of_the_callers_say) {
    user.request("c", "A", 1'700'000'001'300);
    user.request("c", "B", 1'700'000'001'100); // a clock that is behind
    user.request("c", "C", 1'700'000'001'301);
    EXPECT_EQ(user.respond("c", "B", "B1"), state::wait_request);
    EXPECT_EQ(user.respond("c", "C", "C1"), state::wait_response);
    EXPECT_EQ(user.respond("c", "A", "A1"), state::claimed);
    std::vector<std::string> seen;
    while (!user.claims.empty()) {
        auto next = user.claim();
        seen.push_back(next.ids.response_id);
        user.complete(next);
    }
    EXPECT_THAT(seen, ElementsAre("A1", "B1", "C1"));
}

TEST_P(bridge_script, replies_go_by_their_number_and_never_by_their_clock) {
    user.request("c", "A");
    std::vector<std::string> expected;
    for (int i = 1; i <= 300; ++i) {
        expected.push_back("A" + std::to_string(i));
        user.respond("c", "A", expected.back());
    }
    std::vector<std::string> seen;
    while (!user.claims.empty()) {
        auto next = user.claim();
        EXPECT_EQ(next.number, static_cast<std::int64_t>(seen.size()) + 1);
        seen.push_back(next.ids.response_id);
        user.complete(next);
    }
    EXPECT_EQ(seen, expected);
}

TEST_P(bridge_script, a_group_has_at_most_4095_replies) {
    user.request("c", "A");
    user.redis.call({"HSET", "bridge:queue:req:A", "responseIdCounter", "4094"});
    EXPECT_EQ(user.respond("c", "A", "last"), state::claimed);
    auto before = user.keyspace();
    EXPECT_EQ(user.respond("c", "A", "more"), state::group_too_large);
    auto after = user.keyspace();
    EXPECT_EQ(after, before);
}

TEST_P(bridge_script, a_conversation_has_a_capacity) {
    user.rules.capacity = 2;
    user.request("c", "A");
    user.request("c", "B");
    EXPECT_EQ(user.request("c", "C"), state::full);
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    EXPECT_EQ(user.respond("c", "A", "A3"), state::full);
}

TEST_P(bridge_script, the_same_reply_twice_is_delivered_once) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    auto claim = user.claim();
    EXPECT_EQ(user.respond("c", "A", "A1"), state::duplicate);
    EXPECT_EQ(user.claim().token, claim.token) << "who lost the answer gets the claim again";
    user.setup.owner = "two";
    EXPECT_EQ(user.respond("c", "A", "A1"), state::duplicate);
    EXPECT_THAT(user.claims, IsEmpty());
    user.setup.owner = "one";
    user.complete(claim);
    EXPECT_EQ(user.respond("c", "A", "A1"), state::duplicate);
    server.advance(59'000);
    EXPECT_EQ(user.respond("c", "A", "A1"), state::duplicate);
    EXPECT_EQ(user.counted("responses"), 1);
}

TEST_P(bridge_script, a_reply_after_its_request_expired_goes_to_the_tail) {
    user.request("c", "A");
    server.advance(5'000);
    user.request("c", "B");
    server.advance(6'000);
    EXPECT_EQ(user.respond("c", "A", "A1"), state::wait_request);
    EXPECT_EQ(user.hash("bridge:queue:req:A")["late"], "1");
    EXPECT_EQ(user.respond("c", "B", "B1"), state::claimed);
    user.complete(user.claim());
    EXPECT_EQ(user.claim().ids.response_id, "A1");
    EXPECT_EQ(user.counted("late"), 1);
}

TEST_P(bridge_script, a_second_reply_to_a_closed_request_goes_before_later_ones) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1");
    user.room = 0;
    user.complete(user.claim());
    EXPECT_EQ(user.respond("c", "B", "B1"), state::ready);
    EXPECT_EQ(user.respond("c", "A", "A2"), state::ready);
    user.room = 10;
    user.collect();
    EXPECT_EQ(user.claim().ids.response_id, "A2");
}

TEST_P(bridge_script, a_request_that_announces_more_holds_its_place) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1", true);
    user.complete(user.claim());
    EXPECT_EQ(user.respond("c", "B", "B1"), state::wait_request);
    server.advance(2'000);
    EXPECT_EQ(user.respond("c", "A", "A2"), state::claimed);
    user.complete(user.claim());
    EXPECT_EQ(user.claim().ids.response_id, "B1");
}

TEST_P(bridge_script, what_was_announced_is_waited_for_no_longer_than_a_reply) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1", true);
    user.complete(user.claim());
    user.respond("c", "B", "B1");
    server.advance(10'001);
    user.collect();
    EXPECT_EQ(user.claim().ids.response_id, "B1");
}

TEST_P(bridge_script, one_lease_for_each_conversation_and_a_stale_one_changes_nothing) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    auto stale = user.claim();
    server.advance(29'999);
    EXPECT_THAT(user.collect().claims, IsEmpty());
    server.advance(2);
    user.collect();
    auto fresh = user.claim();
    EXPECT_EQ(fresh.ids.response_id, "A1");
    EXPECT_GT(fresh.token, stale.token);
    EXPECT_EQ(fresh.attempt, 2);
    auto before = user.keyspace();
    EXPECT_EQ(user.complete(stale), state::fenced);
    EXPECT_EQ(user.complete(stale, sending::fatal, "x"), state::fenced);
    auto after = user.keyspace();
    EXPECT_EQ(after, before);
    EXPECT_EQ(user.complete(fresh), state::delivered);
    EXPECT_EQ(user.claim().ids.response_id, "A2");
}

TEST_P(bridge_script, an_outcome_for_the_reply_of_another_request_changes_nothing) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    auto claim = user.claim();
    auto wrong = claim;
    wrong.ids.request_id = "B";
    auto before = user.keyspace();
    for (auto how : {sending::sent, sending::sent_async, sending::recoverable, sending::fatal}) {
        EXPECT_EQ(user.complete(wrong, how, "x"), state::fenced);
    }
    auto after = user.keyspace();
    EXPECT_EQ(after, before);
    EXPECT_EQ(user.complete(claim), state::delivered);
}

TEST_P(bridge_script, two_collectors_never_get_the_same) {
    for (int i = 0; i < 20; ++i) {
        auto conversation = "c" + std::to_string(i);
        user.request(conversation, "A" + conversation);
        user.respond(conversation, "A" + conversation, "A1" + conversation);
    }
    user.claims.clear();
    server.advance(30'001);
    auto first = user.collect(12);
    auto second = user.collect(12);
    EXPECT_EQ(first.claims.size(), 12U);
    EXPECT_EQ(second.claims.size(), 8U);
}

TEST_P(bridge_script, a_recoverable_error_puts_the_whole_group_off_to_one_date) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    user.respond("c", "B", "B1");
    EXPECT_EQ(user.complete(user.claim(), sending::recoverable, "503"), state::awaited);
    auto first = user.hash("bridge:queue:res:A1");
    auto second = user.hash("bridge:queue:res:A2");
    EXPECT_EQ(first["status"], "AWAITED");
    EXPECT_EQ(second["status"], "AWAITED");
    EXPECT_EQ(first["awaitedToDateTS"], second["awaitedToDateTS"]);
    EXPECT_EQ(user.hash("bridge:queue:res:B1")["status"], "PENDING");
    EXPECT_DOUBLE_EQ(
        user.score("bridge:queue:pendingMessages", text("A", "A1")),
        user.score("bridge:queue:pendingMessages", text("A", "A2")));
    std::vector<std::int64_t> pauses;
    for (int i = 0; i < 4; ++i) {
        auto due = user.collect().due;
        pauses.push_back((due + 500) / 1000);
        server.advance(due);
        user.collect();
        auto claim = user.claim();
        EXPECT_EQ(claim.ids.response_id, "A1");
        EXPECT_EQ(user.hash("bridge:queue:res:A1")["awaitedRetries"], std::to_string(i + 1));
        user.complete(claim, sending::recoverable, "503");
    }
    EXPECT_THAT(pauses, ElementsAre(30, 60, 90, 120));
}

TEST_P(bridge_script, a_client_may_ask_for_a_longer_pause) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    user.complete(user.claim(), sending::recoverable, "429", 45'000);
    EXPECT_NEAR(static_cast<double>(user.collect().due), 45'000, 2);
}

TEST_P(bridge_script, a_fatal_error_cancels_the_group_and_what_still_comes_for_it) {
    user.setup.dead = "dead";
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    user.respond("c", "B", "B1");
    EXPECT_EQ(user.complete(user.claim(), sending::fatal, "410"), state::cancelled);
    EXPECT_EQ(user.claim().ids.response_id, "B1");
    EXPECT_EQ(user.respond("c", "A", "A3"), state::cancelled);
    EXPECT_EQ(user.counted("cancelled"), 2);
    EXPECT_THAT(
        user.redis.call({"LRANGE", "dead", "0", "-1"}).texts(),
        ElementsAre(
            R"({"type":"response","conversationId":"c","requestId":"A","responseId":"A2","origin":"whatsapp","body":"A2"})",
            R"({"type":"response","conversationId":"c","requestId":"A","responseId":"A1","origin":"whatsapp","body":"A1"})"));
    EXPECT_EQ(user.redis.call({"HLEN", "dead:story"}).whole, 2);
}

TEST_P(bridge_script, a_response_is_given_up_after_so_many_attempts) {
    user.rules.max_attempts = 2;
    user.request("c", "A");
    user.respond("c", "A", "A1");
    EXPECT_EQ(user.complete(user.claim(), sending::recoverable, "x"), state::awaited);
    server.advance(30'000);
    user.collect();
    EXPECT_EQ(user.complete(user.claim(), sending::recoverable, "x"), state::cancelled);
}

TEST_P(bridge_script, what_is_sent_waits_for_its_acknowledgement) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    EXPECT_EQ(user.complete(user.claim(), sending::sent_async, "name"), state::sent);
    EXPECT_EQ(user.redis.call({"GET", "bridge:queue:asyncRequest:name"}).text, text("A", "A1"));
    EXPECT_EQ(user.hash("bridge:queue:res:A1")["status"], "SENT");
    EXPECT_EQ(user.ttl("bridge:queue:res:A1"), 5'000);
    EXPECT_EQ(user.meet("c").state, state::wait_ack);
    EXPECT_EQ(user.acknowledge("name", sending::sent, "teams"), state::conflict);
    EXPECT_EQ(user.acknowledge("name"), state::delivered);
    EXPECT_EQ(user.claim().ids.response_id, "A2");
    EXPECT_EQ(user.acknowledge("name"), state::early) << "the second finds nothing";
}

TEST_P(bridge_script, an_acknowledgement_may_come_first) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    EXPECT_EQ(user.acknowledge("name"), state::early);
    EXPECT_EQ(user.complete(user.claim(), sending::sent_async, "name"), state::delivered);
    user.respond("c", "A", "A2");
    EXPECT_EQ(user.acknowledge("n2", sending::recoverable), state::early);
    EXPECT_EQ(user.complete(user.claim(), sending::sent_async, "n2"), state::awaited);
    server.advance(30'000);
    user.collect();
    EXPECT_EQ(user.acknowledge("n3", sending::fatal), state::early);
    EXPECT_EQ(user.complete(user.claim(), sending::sent_async, "n3"), state::cancelled);
    expect_nothing_left();
}

TEST_P(bridge_script, without_an_acknowledgement_it_counts_as_sent_in_time) {
    for (bool forgotten : {false, true}) { // somebody looks in time, or long after the hash is gone
        user.request("c", "A");
        user.respond("c", "A", "A1");
        user.respond("c", "A", "A2");
        user.complete(user.claim(), sending::sent_async, "name");
        server.advance(forgotten ? 5'500 : 5'000);
        user.collect();
        EXPECT_EQ(user.claim().ids.response_id, "A2");
        EXPECT_EQ(user.counted("noAck"), forgotten ? 2 : 1);
        EXPECT_EQ(user.counted("expired"), 0);
        user.redis.call(
            {"DEL", "bridge:queue:req:A", "bridge:queue:res:A2", "bridge:queue:c", "bridge:queue:c:req",
             "bridge:queue:c:lock", "bridge:queue:pendingMessages"});
    }
}

TEST_P(bridge_script, a_negative_acknowledgement_fails_what_was_sent) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1");
    user.respond("c", "B", "B1");
    user.complete(user.claim(), sending::sent_async, "name");
    EXPECT_EQ(user.acknowledge("name", sending::recoverable), state::awaited);
    EXPECT_EQ(user.ttl("bridge:queue:res:A1"), user.rules.keep_ttl);
    server.advance(30'000);
    user.collect();
    user.complete(user.claim(), sending::sent_async, "name");
    EXPECT_EQ(user.acknowledge("name", sending::fatal), state::cancelled);
    EXPECT_EQ(user.claim().ids.response_id, "B1");
}

TEST_P(bridge_script, no_reply_will_come) {
    user.request("c", "A");
    user.request("c", "B");
    EXPECT_EQ(user.respond("c", "B", "B1"), state::wait_request);
    EXPECT_EQ(user.cancel("A"), state::cancelled);
    EXPECT_EQ(user.claim().ids.response_id, "B1");
    EXPECT_EQ(user.respond("c", "A", "A1"), state::cancelled);
    EXPECT_EQ(user.cancel("unknown"), state::not_found);
}

TEST_P(bridge_script, a_cancelled_message_under_way_keeps_the_others_waiting) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1");
    auto under_way = user.claim();
    user.cancel("A");
    EXPECT_EQ(user.respond("c", "B", "B1"), state::wait_lease);
    EXPECT_EQ(user.complete(under_way), state::gone);
    EXPECT_EQ(user.claim().ids.response_id, "B1");
}

TEST_P(bridge_script, a_dead_request_at_the_head_is_popped_though_others_keep_the_list_alive) {
    user.request("c", "A");
    for (int i = 0; i < 5; ++i) {
        server.advance(9'000);
        user.request("c", "B" + std::to_string(i));
    }
    EXPECT_EQ(user.respond("c", "B4", "B41"), state::wait_request) << "for B3, which lives";
    server.advance(1'001);
    user.collect();
    EXPECT_EQ(user.claim().ids.response_id, "B41");
}

TEST_P(bridge_script, a_dead_tail_does_not_let_time_run_back) {
    user.request("c", "A", 1'700'000'004'500);
    user.respond("c", "A", "A1");
    user.request("c", "B", 1'700'000'005'000);
    server.advance(10'001); // B dies, A lives with its reply
    user.request("c", "C", 1'700'000'004'000);
    EXPECT_GT(std::stoll(user.hash("bridge:queue:req:C")["requestTimestamp"]), 1'700'000'004'500);
}

TEST_P(bridge_script, what_belongs_to_a_response_is_kept_for_whoever_ends_its_life) {
    user.request("c", "A");
    EXPECT_EQ(user.ttl("bridge:queue:req:A"), 10'000);
    EXPECT_EQ(user.ttl("bridge:queue:c:req"), 10'000);
    user.room = 0;
    user.respond("c", "A", "A1");
    for (const auto* key : {"bridge:queue:req:A", "bridge:queue:c:req", "bridge:queue:res:A1", "bridge:queue:c"}) {
        EXPECT_EQ(user.ttl(key), user.rules.keep_ttl) << key;
    }
    EXPECT_EQ(user.hash("bridge:queue:res:A1")["expiresAtTS"], std::to_string((server.now() + 900'000) / 1000));
    EXPECT_EQ(user.ttl("bridge:queue:pendingMessages"), -1);
    server.advance(100'000);
    user.request("c", "B");
    EXPECT_EQ(user.ttl("bridge:queue:c:req"), user.rules.keep_ttl - 100'000) << "a request does not shorten it";
}

TEST_P(bridge_script, a_follower_is_tried_though_the_first_failed_all_its_life) {
    user.request("c", "A");
    user.request("c", "B");
    user.request("c", "C");
    user.respond("c", "A", "A1");
    user.respond("c", "B", "B1"); // all at the same moment, with the same life
    user.respond("c", "C", "C1");
    std::map<std::string, int> tries;
    for (int i = 0; i < 1'000; ++i) {
        while (!user.claims.empty()) {
            auto claim = user.claim();
            ++tries[claim.ids.response_id];
            user.complete(claim, sending::recoverable, "down");
        }
        auto due = user.collect(1).due;
        if (due < 0) {
            break;
        }
        user.serve(std::max<std::int64_t>(due, 1));
    }
    EXPECT_GE(tries["A1"], 7);
    EXPECT_GE(tries["B1"], 1);
    EXPECT_GE(tries["C1"], 1);
    EXPECT_EQ(user.counted("expired"), 3);
    expect_nothing_left();
}

// All claims fail until nothing is left; how often each was tried.
std::map<std::string, int> fail_all(bridge_user& user, std::int64_t retry_after = 0) {
    std::map<std::string, int> tries;
    for (int i = 0; i < 2'000; ++i) {
        while (!user.claims.empty()) {
            auto claim = user.claim();
            ++tries[claim.ids.response_id];
            user.complete(claim, sending::recoverable, "down", retry_after);
        }
        auto due = user.collect(1).due;
        if (due < 0) {
            break;
        }
        user.serve(std::max<std::int64_t>(due, 1));
    }
    return tries;
}

TEST_P(bridge_script, a_sibling_is_tried_though_the_first_of_its_group_failed_all_its_life) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    user.respond("c", "B", "B1");
    auto tries = fail_all(user);
    EXPECT_GE(tries["A1"], 7);
    EXPECT_GE(tries["A2"], 1);
    EXPECT_GE(tries["B1"], 1);
    EXPECT_EQ(user.counted("expired"), 3);
    expect_nothing_left();
}

TEST_P(bridge_script, a_pause_beyond_its_life_costs_only_the_one_that_failed_its_tries) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    user.respond("c", "B", "B1");
    auto tries = fail_all(user, 10'000'000);
    EXPECT_EQ(tries["A1"], 1);
    EXPECT_EQ(tries["A2"], 1);
    EXPECT_EQ(tries["B1"], 1);
    EXPECT_EQ(user.counted("expired"), 3);
    expect_nothing_left();
}

TEST_P(bridge_script, a_follower_outlives_replies_that_go_on_coming_before_it) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "B", "B1");
    for (int i = 0; i < 200; ++i) { // for 1,000 s, longer than its life
        user.respond("c", "A", "A" + std::to_string(i), true);
        user.complete(user.claim());
        user.serve(5'000);
        user.collect();
        ASSERT_TRUE(user.claims.empty()) << i;
    }
    user.clock.advance(5'001);
    user.collect();
    EXPECT_EQ(user.claim().ids.response_id, "B1");
}

TEST_P(bridge_script, a_follower_outlives_an_unanswered_request_that_may_wait_longer_than_responses_live) {
    user.rules.message_ttl = 4'000'000;
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "B", "B1");
    user.serve(4'000'001);
    user.collect();
    EXPECT_EQ(user.claim().ids.response_id, "B1");
    EXPECT_EQ(user.counted("requestsExpired"), 1);
}

TEST_P(bridge_script, a_late_reply_to_an_earlier_request_does_not_close_a_group_that_is_left) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1");
    user.complete(user.claim());
    user.respond("c", "B", "B1");
    auto first = user.claim();
    user.respond("c", "B", "B2");
    user.respond("c", "A", "A2"); // goes before B2
    user.complete(first);
    EXPECT_EQ(
        user.redis.call({"LRANGE", "bridge:queue:c:req", "0", "-1"}).texts(),
        std::vector<std::string>{"bridge:queue:req:B"});
    EXPECT_EQ(user.ttl("bridge:queue:req:B"), user.rules.keep_ttl);
    EXPECT_EQ(user.claims.at(0).ids.response_id, "A2");
    user.complete(user.claim());
    user.complete(user.claim());
    EXPECT_EQ(user.counted("delivered"), 4);
    EXPECT_EQ(user.ttl("bridge:queue:req:B"), user.rules.dedup_ttl);
}

TEST_P(bridge_script, what_ends_when_nobody_looks_is_told_by_who_comes_next) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    user.claim();
    user.clock.advance(901'001);
    user.collect();
    EXPECT_EQ(user.counted("expired"), 1);
}

TEST_P(bridge_script, what_is_cancelled_can_come_again_and_is_never_lost) {
    user.setup.dead = "dead";
    user.setup.source = "in";
    user.request("c", "A");
    user.respond("c", "A", "A1");
    user.redis.call({"SET", "dead", "a string"});
    EXPECT_EQ(user.complete(user.claims.at(0), sending::fatal, "gone"), state::error);
    EXPECT_EQ(user.hash("bridge:queue:res:A1")["status"], "PENDING"); // as it was: the outcome can come again
    user.redis.call({"DEL", "dead"});
    EXPECT_EQ(user.complete(user.claim(), sending::fatal, "gone"), state::cancelled);
    EXPECT_EQ(user.redis.call({"LLEN", "dead"}).whole, 1);
    auto story = user.redis.call({"HVALS", "dead:story"}).texts().at(0);
    EXPECT_THAT(story, testing::HasSubstr(R"("origin":"in")"));
    EXPECT_EQ(user.respond("c", "A", "A1"), state::cancelled); // and not a duplicate of what was delivered
    user.clock.advance(user.rules.dedup_ttl + 1);
    EXPECT_EQ(user.respond("c", "A", "A1"), state::claimed);
}

TEST_P(bridge_script, events_tell_the_origin_though_nobody_says_it) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    auto claim = user.claim();
    claim.origin.clear();
    user.complete(claim);
    auto event = user.redis.call({"XRANGE", "bridge:queue:events", "-", "+"}).items.at(0).items.at(1).texts();
    EXPECT_EQ(event.at(1), "delivered");
    EXPECT_EQ(event.at(5), "whatsapp");
}

TEST_P(bridge_script, a_client_that_never_answers_costs_a_message_its_life_and_no_more) {
    user.request("c", "A");
    user.request("c", "B");
    user.respond("c", "A", "A1");
    user.respond("c", "B", "B1");
    auto began = server.now();
    std::map<std::string, int> tries;
    std::map<std::string, std::int64_t> last;
    for (auto due = user.collect().due; due >= 0; due = user.collect().due) {
        while (!user.claims.empty()) {
            auto claim = user.claim();
            ++tries[claim.ids.response_id];
            last[claim.ids.response_id] = server.now() - began;
        }
        user.serve(due); // to the millisecond
    }
    EXPECT_NEAR(tries["A1"], 30, 1);
    EXPECT_LE(last["A1"], 901'000);
    EXPECT_GE(tries["B1"], 1);
    EXPECT_LE(last["B1"], 960'000);
    EXPECT_EQ(user.counted("expired"), 2);
}

TEST_P(bridge_script, a_delivery_that_nobody_takes_is_not_pushed_again) {
    user.setup.out = "out";
    user.request("c", "A");
    user.respond("c", "A", "A1");
    for (int i = 0; i < 20; ++i) {
        server.advance(30'001);
        user.collect();
    }
    EXPECT_EQ(user.redis.call({"LLEN", "out:whatsapp"}).whole, 1);
    user.redis.call({"RPOP", "out:whatsapp"}); // the client is back, and lets it go: it is long past its deadline
    server.advance(5'000);
    EXPECT_EQ(user.collect().claimed, 0) << "whoever took it may be sending it all the same";
    server.advance(5'000);
    EXPECT_EQ(user.collect().claimed, 1);
    EXPECT_EQ(user.redis.call({"LLEN", "out:whatsapp"}).whole, 1);
}

TEST_P(bridge_script, what_comes_too_late_to_be_sent_was_no_try) {
    user.setup.out = "out";
    for (const auto* name : {"1", "2", "3"}) {
        user.request(std::string{"c"} + name, std::string{"Q"} + name);
        user.respond(std::string{"c"} + name, std::string{"Q"} + name, std::string{"A"} + name);
    }
    server.advance(20'000); // the first is taken after so long, and sent
    auto taken = user.redis.call({"RPOP", "out:whatsapp"}).text;
    auto fence = std::stoll(taken.substr(taken.find("\"fence\":") + 8));
    EXPECT_EQ(user.complete({.ids = {"Q1", "A1", "c1"}, .token = fence}), state::delivered);
    EXPECT_EQ(user.hash("bridge:queue:state").count("behind:whatsapp"), 1U);
    server.advance(10'001);
    user.redis.call({"DEL", "out:whatsapp"}); // the others were let go: they are past their deadlines
    user.collect();
    EXPECT_EQ(user.hash("bridge:queue:res:A2")["sentAttempt"], "0");
    server.advance(5'000);
    EXPECT_EQ(user.collect().claimed, 2);
    EXPECT_EQ(user.hash("bridge:queue:res:A2")["sentAttempt"], "1");
    server.advance(30'001);
    user.redis.call({"DEL", "out:whatsapp"}); // now nobody is behind: these were lost
    EXPECT_EQ(user.collect().claimed, 2);
    EXPECT_EQ(user.hash("bridge:queue:res:A2")["sentAttempt"], "2");
}

TEST_P(bridge_script, without_room_it_waits_until_somebody_has_some) {
    user.room = 0;
    user.request("c", "A");
    EXPECT_EQ(user.respond("c", "A", "A1"), state::ready);
    EXPECT_EQ(user.hash("bridge:queue:res:A1")["status"], "WAITING");
    auto looked = user.collect();
    EXPECT_EQ(looked.claimed, 0);
    EXPECT_EQ(looked.due, 0);
    user.room = 1;
    EXPECT_EQ(user.collect().claimed, 1);
    EXPECT_EQ(user.hash("bridge:queue:res:A1")["status"], "PENDING");
}

TEST_P(bridge_script, what_is_pending_too_long_is_awaited) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    server.advance(30'001);
    user.collect();
    EXPECT_EQ(user.hash("bridge:queue:res:A2")["status"], "AWAITED");
    EXPECT_EQ(user.hash("bridge:queue:res:A2")["awaitedFor"], "order");
    user.complete(user.claim());
    EXPECT_EQ(user.claim().ids.response_id, "A2") << "at once: it never failed";
}

TEST_P(bridge_script, deliveries_are_pushed_with_the_claim) {
    user.setup.out = "out";
    user.request("c", "A", 1'700'000'000'777);
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    auto pushed = user.redis.call({"LRANGE", "out:whatsapp", "0", "-1"}).texts();
    ASSERT_EQ(pushed.size(), 1U);
    EXPECT_THAT(
        pushed[0],
        testing::StartsWith(
            R"({"conversationId":"c","requestId":"A","responseId":"A1","origin":"whatsapp","order":"1700000000777.1","fence":)"));
    EXPECT_THAT(pushed[0], testing::EndsWith(R"(,"deadline":1700000025000,"attempt":1,"body":"A1"})"));
    EXPECT_EQ(user.counted("responses"), 2);
}

TEST_P(bridge_script, a_list_of_the_wrong_type_is_told_and_nothing_is_claimed) {
    user.setup.out = "out";
    user.redis.call({"SET", "out:whatsapp", "x"});
    user.request("c", "A");
    auto outcome = user.run(
        store::bridge_verb::accept,
        {store::item_of(store::bridge_response{.ids = {"A", "A1", "c"}, .origin = "whatsapp", .task = "{}"})});
    EXPECT_EQ(outcome.answers[0].state, state::wait_out);
    EXPECT_THAT(outcome.refused, testing::HasSubstr("key=out:whatsapp"));
    EXPECT_EQ(outcome.claimed, 0);
    user.redis.call({"DEL", "out:whatsapp"});
    server.advance(1'001);
    EXPECT_EQ(user.collect().claimed, 1);
    EXPECT_EQ(user.redis.call({"LLEN", "out:whatsapp"}).whole, 1);
}

TEST_P(bridge_script, what_cannot_be_pushed_is_awaited_after_so_many_tries) {
    user.setup.out = "out";
    user.rules.max_retries = 3;
    user.rules.retries_end = 7'000;
    user.redis.call({"SET", "out:whatsapp", "x"});
    user.request("c", "A");
    EXPECT_EQ(user.respond("c", "A", "A1"), state::wait_out);
    for (int round : {1, 2}) { // the tries begin again after each wait
        EXPECT_EQ(user.collect().due, 1'000);
        server.advance(1'001);
        EXPECT_EQ(user.collect().due, 1'000);
        EXPECT_EQ(user.hash("bridge:queue:res:A1")["tries"], "2");
        server.advance(1'001);
        EXPECT_EQ(user.collect().due, 7'000);
        auto seen = user.hash("bridge:queue:res:A1");
        EXPECT_EQ(seen["status"], "AWAITED");
        EXPECT_EQ(seen["awaitedToDateTS"], std::to_string((server.now() + 7'000) / 1'000));
        EXPECT_EQ(user.counted("retriesEnded"), round);
        EXPECT_EQ(user.meet("c").state, state::wait_out);
        server.advance(7'001);
        if (round == 1) {
            user.collect();
        }
    }
    user.redis.call({"DEL", "out:whatsapp"});
    EXPECT_EQ(user.collect().claimed, 1);
    EXPECT_EQ(user.redis.call({"LLEN", "out:whatsapp"}).whole, 1);
    EXPECT_EQ(user.hash("bridge:queue:res:A1")["status"], "PENDING");
    EXPECT_EQ(user.counted("retried"), 0) << "it was never sent before";
}

TEST_P(bridge_script, what_failed_and_then_cannot_be_pushed_is_still_known_as_failed) {
    user.setup.out = "out";
    user.rules.max_retries = 1;
    user.rules.retries_end = 7'000;
    user.request("c", "A");
    EXPECT_EQ(user.respond("c", "A", "A1"), state::claimed);
    auto delivery = user.redis.call({"RPOP", "out:whatsapp"}).text;
    auto fence = std::stoll(delivery.substr(delivery.find("\"fence\":") + 8));
    store::bridge_claim sent{.ids = {"A", "A1", "c"}, .token = fence, .origin = "whatsapp"};
    EXPECT_EQ(user.complete(sent, sending::recoverable, "busy"), state::awaited);
    user.redis.call({"SET", "out:whatsapp", "x"});
    server.advance(30'001);
    user.collect();
    EXPECT_EQ(user.hash("bridge:queue:res:A1")["awaitedFor"], "error");
    EXPECT_EQ(user.counted("retriesEnded"), 1);
    user.redis.call({"DEL", "out:whatsapp"});
    server.advance(7'001);
    EXPECT_EQ(user.collect().claimed, 1);
    EXPECT_EQ(user.counted("retried"), 1);
}

TEST_P(bridge_script, a_key_of_the_wrong_type_costs_its_own_conversation_only) {
    user.redis.call({"SET", "bridge:queue:bad", "x"});
    user.redis.call({"SET", "bridge:queue:worse:req", "x"});
    user.redis.call({"SET", "bridge:queue:locked:lock", "no lease of ours"});
    auto outcome = user.run(
        store::bridge_verb::accept,
        {store::item_of(store::bridge_request{"bad", "o", "A"}),
         store::item_of(store::bridge_request{"worse", "o", "B"}),
         store::item_of(store::bridge_request{"good", "o", "C"}),
         store::item_of(store::bridge_response{.ids = {"C", "C1", "good"}, .origin = "o", .task = ""})});
    EXPECT_EQ(outcome.answers[0].state, state::error);
    EXPECT_THAT(outcome.answers[0].detail, testing::HasSubstr("WRONGTYPE"));
    EXPECT_EQ(outcome.answers[1].state, state::error);
    EXPECT_EQ(outcome.answers[3].state, state::claimed);
    EXPECT_EQ(user.redis.call({"EXISTS", "bridge:queue:req:A", "bridge:queue:req:B"}).whole, 0);
    user.redis.call({"DEL", "bridge:queue:pendingMessages"});
    user.redis.call({"SET", "bridge:queue:pendingMessages", "x"});
    auto before = user.keyspace();
    EXPECT_THROW(user.request("c", "D"), std::runtime_error);
    EXPECT_EQ(user.keyspace(), before);
}

TEST_P(bridge_script, an_outcome_that_meets_a_key_of_the_wrong_type_leaves_all_as_it_was) {
    for (const auto* broken : {"bridge:queue:c:req", "bridge:queue:c"}) {
        user.redis.call({"FLUSHALL"});
        user.request("c", "A");
        user.respond("c", "A", "A1");
        user.respond("c", "A", "A2");
        auto claim = user.claim();
        auto swap = [&](const char* from, const char* to) { user.redis.call({"RENAME", from, to}); };
        auto expect_refused = [&](auto outcome) {
            swap(broken, "kept");
            user.redis.call({"SET", broken, "x"});
            auto before = user.keyspace();
            EXPECT_EQ(outcome(), state::error) << broken;
            EXPECT_EQ(user.keyspace(), before) << broken;
            swap("kept", broken);
        };
        for (auto how : {sending::sent, sending::fatal}) {
            expect_refused([&] { return user.complete(claim, how); });
        }
        expect_refused([&] { return user.cancel("A"); });
        EXPECT_EQ(user.complete(claim, sending::sent_async, "n"), state::sent);
        for (auto how : {sending::sent, sending::fatal}) {
            expect_refused([&] { return user.acknowledge("n", how); });
        }
        EXPECT_EQ(user.acknowledge("n"), state::delivered);
        EXPECT_EQ(user.complete(user.claim()), state::delivered);
        EXPECT_EQ(user.counted("delivered"), 2);
        EXPECT_EQ(user.counted("cancelled"), 0);
    }
}

TEST_P(bridge_script, conversations_have_the_same_keys_in_scripts_and_outside) {
    for (const std::string id :
         {"c",
          "a:b",
          "pendingMessages",
          "req",
          "res",
          "asyncRequest",
          "counts",
          "events",
          "req:x",
          "res:x",
          "asyncRequest:x",
          "x:req",
          "x:lock",
          "req:x:req",
          "{a}",
          "50%",
          "%7B",
          ":req",
          "x:y:lock",
          "reqs",
          "pendingMessages:req"}) {
        store::bridge_look_call call{
            .pending = "bridge:queue:pendingMessages", .prefix = "bridge:queue:", .conversation = id, .most = 1};
        EXPECT_EQ(run_verb(user.redis, std::move(call))->key, "bridge:queue:" + store::bridge_keys::escaped(id)) << id;
    }
}

TEST_P(bridge_script, a_look_tells_a_conversation_as_it_is_and_changes_nothing) {
    using head = store::bridge_head_state;
    auto look = [&](std::int64_t most) {
        auto before = user.keyspace();
        store::bridge_look_call call{
            .pending = "bridge:queue:pendingMessages", .prefix = "bridge:queue:", .conversation = "c", .most = most};
        auto seen = run_verb(user.redis, std::move(call));
        EXPECT_EQ(user.keyspace(), before);
        return seen.seen;
    };
    auto nothing = look(10);
    EXPECT_EQ(nothing.state, head::idle);
    EXPECT_FALSE(nothing.has_end);
    EXPECT_EQ(nothing.head, "");
    EXPECT_EQ(nothing.all_requests + nothing.all_responses, 0);
    EXPECT_THAT(nothing.lease, IsEmpty());

    user.request("c", "A", 1'700'000'000'000);
    user.request("c", "B", 1'700'000'000'001);
    EXPECT_EQ(user.respond("c", "B", "B1"), state::wait_request);
    auto waits = look(1);
    EXPECT_EQ(waits.state, head::wait_request);
    EXPECT_TRUE(waits.has_end);
    EXPECT_EQ(waits.waits, 10'001);
    EXPECT_EQ(waits.now, server.now());
    EXPECT_EQ(waits.head, text("B", "B1"));
    EXPECT_EQ(waits.waits_for_key, "bridge:queue:req:A");
    EXPECT_EQ(waits.waits_for, "A");
    EXPECT_EQ(waits.all_requests, 2);
    EXPECT_EQ(waits.all_responses, 1);
    store::bridge_request_row first{"bridge:queue:req:A", "A",   "whatsapp", "WAITING", true, 0,
                                    1'700'000'000'000,    10'000};
    EXPECT_THAT(waits.requests, ElementsAre(first));
    ASSERT_EQ(waits.responses.size(), 1U);
    const auto& response = waits.responses.front();
    EXPECT_EQ(response.id, "B1");
    EXPECT_EQ(response.request, "B");
    EXPECT_EQ(response.order, "1700000000001.1");
    EXPECT_TRUE(response.has_date);
    EXPECT_THAT(look(0).responses, IsEmpty());

    EXPECT_EQ(user.respond("c", "A", "A1"), state::claimed);
    auto claim = user.claim();
    auto leased = look(10);
    EXPECT_EQ(leased.state, head::wait_lease);
    EXPECT_EQ(leased.waits, 30'000);
    EXPECT_EQ(leased.waits_for, "");
    store::bridge_lease_row lease{user.setup.owner, "A1", claim.token, 30'000};
    EXPECT_THAT(leased.lease, ElementsAre(lease));
    EXPECT_FALSE(leased.requests.front().waiting);
}

TEST_P(bridge_script, events_tell_how_each_ended) {
    user.request("c", "A");
    user.respond("c", "A", "A1");
    user.complete(user.claim());
    auto events = user.redis.call({"XRANGE", "bridge:queue:events", "-", "+"});
    ASSERT_EQ(events.items.size(), 1U);
    EXPECT_THAT(
        events.items[0].items[1].texts(),
        ElementsAre("event", "delivered", "message", text("A", "A1"), "origin", "whatsapp", "reason", ""));
}

TEST_P(bridge_script, edits_by_hand_unblock_as_events_do) {
    user.request("c", "A");
    user.request("c", "B");
    user.room = 0;
    user.respond("c", "A", "A1");
    user.respond("c", "A", "A2");
    user.respond("c", "B", "B1");
    user.room = 10;
    auto edit = store::bridge_verb::edit;
    EXPECT_EQ(user.one(edit, store::delete_item({"A", "A1", "c"})).state, state::deleted);
    EXPECT_EQ(user.claim().ids.response_id, "A2");
    EXPECT_EQ(user.one(edit, store::delete_item({"A", "A1", "c"})).state, state::not_found);
    EXPECT_EQ(
        user.one(edit, store::await_item({"A", "A2", "c"}, server.now() + 7'000, true, "later")).state, state::awaited);
    EXPECT_EQ(user.hash("bridge:queue:res:A2")["status"], "AWAITED");
    EXPECT_EQ(user.meet("c").state, state::wait_backoff);
    server.advance(7'000);
    EXPECT_EQ(user.meet("c").state, state::claimed);
    EXPECT_EQ(user.one(edit, store::postpone_item({"A", "A2", "c"}, 1)).state, state::fenced);
    server.advance(20'000);
    EXPECT_EQ(user.one(edit, store::postpone_item({"A", "A2", "c"}, user.claim().token)).state, state::postponed);
    EXPECT_EQ(user.ttl("bridge:queue:c:lock"), 30'000);
    EXPECT_EQ(user.one(edit, store::delete_group_item("A", "SENT", {}, {})).detail, "0");
    EXPECT_EQ(user.one(edit, store::delete_group_item("A", "PENDING", {"whatsapp"}, {})).detail, "0");
    EXPECT_EQ(user.one(edit, store::delete_group_item("A", "", {"teams"}, {})).detail, "1");
    EXPECT_EQ(user.one(edit, store::forget_later_item({"B", "B1", "c"}, 4'000)).state, state::postponed);
    server.advance(40'000);
    user.collect();
    EXPECT_THAT(user.claims, IsEmpty());
    expect_nothing_left();
}

} // namespace
} // namespace leat::tests
