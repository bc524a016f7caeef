// What holds when nobody served for a while, or somebody stood still; and that no call of a bridge is endless.
#include "support/bridge_case.hpp"

#include <gmock/gmock.h>

namespace leat::tests {
namespace {

using state = store::bridge_state;
using sending = store::bridge_sending;
using store::bridge_verb;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto unserved = "its life ended while no instance served";

class bridge_absence : public testing::TestWithParam<std::string> {
protected:
    clocked_server server{GetParam()};
    bridge_user user{server};

    void SetUp() override {
        user.setup.dead = "dead";
        user.setup.source = "in";
        user.setup.answers = "answers";
    }

    // What was told of responses, in its order.
    std::vector<std::string> events() {
        std::vector<std::string> found;
        for (const auto& each : user.redis.call({"XRANGE", "bridge:queue:events", "-", "+"}).items) {
            auto fields = each.items.at(1).texts();
            auto ids = message::read_min_message_info(fields.at(3));
            found.push_back(std::string{fields.at(1)} + " " + ids->response_id);
        }
        return found;
    }
    // A conversation with one reply.
    state come(const std::string& name) {
        user.request(name, "q-" + name);
        return user.respond(name, "q-" + name, "a-" + name);
    }
    std::int64_t dead_letters() { return user.redis.call({"LLEN", "dead"}).whole; }
    void collect_all() {
        for (auto outcome = user.collect(15); outcome.seen == 15 || outcome.due == 0;) {
            outcome = user.collect(15);
        }
    }
};

INSTANTIATE_TEST_SUITE_P(servers, bridge_absence, testing::ValuesIn(server_flavours()));

TEST_P(bridge_absence, a_response_that_nobody_had_room_for_is_tried_after_its_life) {
    user.room = 0;
    for (int i = 0; i < 50; ++i) {
        come("c" + std::to_string(i));
    }
    user.request("c0", "B");
    user.respond("c0", "B", "follower");
    user.serve(1'800'000); // twice their lives
    EXPECT_THAT(events(), IsEmpty());
    user.room = 1'000;
    collect_all();
    ASSERT_EQ(user.claims.size(), 50U);
    for (const auto& each : std::exchange(user.claims, {})) {
        EXPECT_EQ(user.complete(each), state::delivered);
    }
    EXPECT_EQ(user.claim().ids.response_id, "follower");
    EXPECT_EQ(user.counted("expired"), 0);
}

TEST_P(bridge_absence, a_try_after_its_life_is_the_only_one) {
    user.room = 0;
    come("c");
    user.serve(1'000'000);
    user.room = 1'000;
    collect_all();
    EXPECT_EQ(user.complete(user.claim(), sending::recoverable, "busy"), state::awaited);
    collect_all();
    EXPECT_THAT(events(), ElementsAre("expired a-c"));
    EXPECT_EQ(dead_letters(), 0);
}

TEST_P(bridge_absence, what_ended_while_nobody_served_is_told_counted_and_among_the_dead_letters) {
    user.room = 20;
    for (int i = 0; i < 100; ++i) {
        come("c" + std::to_string(i));
        user.room = std::max<std::int64_t>(0, 20 - static_cast<std::int64_t>(user.claims.size()));
    }
    user.request("c0", "B");
    user.respond("c0", "B", "follower");
    user.claims.clear(); // whoever had them is dead
    server.advance(910'000);
    user.room = 1'000;
    collect_all();
    EXPECT_EQ(user.counted("expired"), 101);
    EXPECT_EQ(events().size(), 101U);
    EXPECT_EQ(dead_letters(), 101);
    EXPECT_THAT(user.claims, IsEmpty());
    auto details = user.redis.call({"HVALS", "dead:story"}).texts();
    ASSERT_EQ(details.size(), 101U);
    EXPECT_THAT(details.front(), HasSubstr(unserved));
    EXPECT_THAT(details.front(), HasSubstr(R"("origin":"in")"));
    // Sent back, each is welcome at once.
    EXPECT_EQ(user.respond("c7", "q-c7", "a-c7"), state::claimed);
    EXPECT_EQ(user.complete(user.claim()), state::delivered);
}

TEST_P(bridge_absence, what_lives_on_after_an_absence_is_delivered) {
    come("c");
    user.request("d", "D");
    user.request("d", "E");
    user.respond("d", "E", "e1"); // waits for D
    user.claims.clear();
    server.advance(600'000);
    collect_all();
    EXPECT_EQ(user.claims.size(), 2U);
    EXPECT_THAT(events(), IsEmpty());
}

TEST_P(bridge_absence, nothing_expires_but_by_leat) {
    user.room = 0;
    come("c");
    EXPECT_EQ(user.ttl("bridge:queue:pendingMessages"), -1);
    for (const auto* key : {"bridge:queue:req:q-c", "bridge:queue:c:req", "bridge:queue:res:a-c", "bridge:queue:c"}) {
        EXPECT_EQ(user.ttl(key), user.rules.keep_ttl) << key;
    }
    server.advance(user.rules.keep_ttl + 1); // the backstop: even then it is told
    collect_all();
    EXPECT_THAT(events(), ElementsAre("expired a-c"));
    EXPECT_EQ(user.ttl("bridge:queue:pendingMessages"), -2);
}

TEST_P(bridge_absence, outcomes_that_wait_count_before_anything_is_sent_again_or_given_up) {
    for (std::int64_t away : {60'000, 910'000}) { // beyond its lease, beyond its life
        user.redis.call({"FLUSHALL"});
        user.claims.clear();
        come("sent");
        come("lost");
        auto lost = user.claim();
        auto sent = user.claim();
        user.redis.call({"LPUSH", "answers", "the outcome of sent", "that of somebody else"});
        server.advance(away);
        user.collect();
        EXPECT_THAT(user.claims, IsEmpty());
        EXPECT_THAT(events(), IsEmpty());
        EXPECT_EQ(user.complete(sent), state::delivered) << "though its lease is over";
        EXPECT_EQ(user.complete(sent), state::fenced) << "once";
        server.advance(1'000);
        user.collect();
        EXPECT_EQ(user.complete(lost), state::fenced) << "what waited is dealt with, this was sent again or given up";
        EXPECT_EQ(user.claims.size(), away < 900'000 ? 1U : 0U);
        EXPECT_EQ(dead_letters(), away < 900'000 ? 0 : 1);
    }
}

TEST_P(bridge_absence, an_outcome_in_flight_with_a_dead_consumer_is_waited_for_until_its_lease_ends) {
    user.setup.answers_hands = "answers:pending";
    come("sent");
    auto sent = user.claim();
    auto now = std::stoll(user.redis.call({"TIME"}).items.at(0).text) * 1000;
    user.redis.call({"LPUSH", "answers:pending:7", "the outcome of sent"});
    user.redis.call({"ZADD", "answers:pending:owners", std::to_string(now + 940'000), "7"});
    server.advance(910'000); // its life is over
    user.collect();
    user.serve(20'000);
    EXPECT_THAT(events(), IsEmpty());
    user.redis.call({"DEL", "answers:pending:7"}); // taken over, and read
    EXPECT_EQ(user.complete(sent), state::delivered);
    EXPECT_EQ(dead_letters(), 0);
}

TEST_P(bridge_absence, requests_that_died_take_no_room) {
    user.rules.capacity = 10;
    user.rules.message_ttl = 300;
    come("c");
    for (int i = 0; i < 9; ++i) {
        EXPECT_EQ(user.request("c", "q" + std::to_string(i)), state::registered);
    }
    EXPECT_EQ(user.request("c", "more"), state::full);
    server.advance(400);
    EXPECT_EQ(user.request("c", "more"), state::registered);
    EXPECT_EQ(user.redis.call({"LLEN", "bridge:queue:c:req"}).whole, 2) << "and the one whose reply is on its way";
    EXPECT_EQ(user.counted("requestsExpired"), 9);
}

TEST_P(bridge_absence, lives_are_ended_though_what_waits_is_never_dealt_with) {
    come("c");
    user.claims.clear();
    user.redis.call({"LPUSH", "in", "it cannot be read"});
    server.advance(910'000);
    user.collect();
    EXPECT_THAT(events(), IsEmpty());
    user.serve(12'000);
    user.collect();
    EXPECT_THAT(events(), ElementsAre("expired a-c"));
    EXPECT_EQ(dead_letters(), 1);
}

TEST_P(bridge_absence, what_ended_in_one_absence_is_known_after_the_next) {
    come("c"); // tried
    user.room = 0;
    come("d"); // not tried
    user.claims.clear();
    server.advance(910'000);
    for (int i = 0; i < 3; ++i) { // somebody comes, has no room to look at what is due, and goes
        user.collect(0);
        user.serve(2'000);
        server.advance(10'000);
    }
    user.room = 1'000;
    user.collect(0);
    collect_all();
    EXPECT_THAT(events(), testing::UnorderedElementsAre("expired a-c", "expired a-d"));
    EXPECT_EQ(dead_letters(), 2);
    EXPECT_THAT(user.claims, IsEmpty());
}

TEST_P(bridge_absence, outcomes_are_waited_for_though_a_thousand_consumers_died_before) {
    user.setup.answers_hands = "answers:pending";
    come("c");
    auto sent = user.claim();
    auto now = server.now();
    for (int i = 0; i < 1'500; ++i) { // they have nothing in flight
        user.redis.call({"ZADD", "answers:pending:owners", std::to_string(now + i), std::to_string(10 + i)});
    }
    user.redis.call({"ZADD", "answers:pending:owners", std::to_string(now + 900'000), "9"});
    user.redis.call({"LPUSH", "answers:pending:9", "the outcome"});
    server.advance(910'000);
    user.collect();
    EXPECT_THAT(events(), IsEmpty());
    EXPECT_EQ(user.complete(sent), state::delivered); // it was taken over meanwhile
    EXPECT_EQ(dead_letters(), 0);
}

TEST_P(bridge_absence, nothing_is_given_up_that_cannot_be_listed) {
    come("c");
    user.claims.clear();
    server.advance(910'000);
    user.redis.call({"SET", "dead", "a string"});
    user.collect();
    EXPECT_THAT(events(), IsEmpty());
    user.redis.call({"DEL", "dead"});
    user.serve(1'000);
    user.collect();
    EXPECT_THAT(events(), ElementsAre("expired a-c"));
    EXPECT_EQ(dead_letters(), 1);
}

// ---- who stands still

TEST_P(bridge_absence, an_item_of_a_consumer_whose_lease_is_gone_is_not_done) {
    user.redis.call({"HSET", "in:pending:1:lease", "token", "mine"});
    user.leases = {{"in:pending:1:lease", "mine"}};
    EXPECT_EQ(come("c"), state::claimed);
    EXPECT_EQ(user.complete(user.claim()), state::delivered);
    server.advance(95'000); // longer than its lease, and than the reply is remembered
    for (const auto* token : {"", "another's"}) {
        user.redis.call({"DEL", "in:pending:1:lease"});
        if (*token != '\0') {
            user.redis.call({"HSET", "in:pending:1:lease", "token", token});
        }
        auto before = user.keyspace();
        EXPECT_THROW(come("c"), std::runtime_error);
        EXPECT_THROW(user.cancel("q-c"), std::runtime_error);
        EXPECT_THROW(user.acknowledge("name"), std::runtime_error);
        EXPECT_EQ(user.keyspace(), before);
    }
}

TEST_P(bridge_absence, the_fence_grows_though_the_clock_goes_back) {
    come("c");
    auto before = user.claim();
    EXPECT_EQ(user.complete(before), state::delivered);
    server.advance(-59'000);
    user.request("c", "B");
    EXPECT_EQ(user.respond("c", "B", "B1"), state::claimed);
    EXPECT_GT(user.claim().token, before.token);
    EXPECT_EQ(come("d"), state::claimed);
    EXPECT_GT(user.claim().token, before.token);
}

TEST_P(bridge_absence, a_failure_at_the_end_of_a_life_leaves_nothing_for_ever) {
    user.rules.awaited_ttl = 40'000;
    for (auto how : {sending::recoverable, sending::fatal}) {
        user.redis.call({"FLUSHALL"});
        user.claims.clear();
        come("c");
        server.advance(100);
        user.serve(36'000);
        user.collect();
        EXPECT_EQ(user.complete(user.claim(), sending::sent_async, "name"), state::sent);
        user.serve(4'999); // its acknowledgement is still awaited, its own life is over
        user.acknowledge("name", how);
        collect_all();
        EXPECT_EQ(user.ttl("bridge:queue:res:a-c"), -2);
        for (const auto& key : user.redis.call({"KEYS", "bridge:queue:*"}).texts()) {
            bool stays = key.ends_with(":counts") || key.ends_with(":events") || key.ends_with(":state");
            EXPECT_TRUE(stays || user.ttl(key) > 0) << key;
        }
    }
}

// ---- no call is endless

TEST_P(bridge_absence, a_call_leaves_the_rest_when_it_has_done_enough) {
    constexpr int conversations = 20;
    constexpr int replies = 200;
    std::vector<store::bridge_item> outcomes;
    for (int i = 0; i < conversations; ++i) {
        auto name = std::to_string(i);
        user.request(name, "q" + name);
        for (int k = 0; k < replies; ++k) {
            user.respond(name, "q" + name, name + "-" + std::to_string(k));
        }
        auto claim = user.claim();
        outcomes.push_back(store::item_of(store::bridge_result{
            .ids = claim.ids,
            .token = claim.token,
            .how = sending::recoverable,
            .detail = "down",
            .pause = 0,
            .origin = ""}));
    }
    int calls = 0;
    while (!outcomes.empty() && calls < 100) {
        ++calls;
        auto answers = user.run(bridge_verb::conclude, outcomes).answers;
        std::size_t done = 0;
        while (done < answers.size() && answers[done].state != state::again) {
            EXPECT_EQ(answers[done].state, state::awaited);
            ++done;
        }
        EXPECT_THAT(done, testing::AllOf(testing::Ge(1U), testing::Le(3U)));
        for (auto i = done; i < answers.size(); ++i) {
            EXPECT_EQ(answers[i].state, state::again) << "one is not overtaken by those behind it";
        }
        outcomes.erase(outcomes.begin(), outcomes.begin() + static_cast<std::ptrdiff_t>(done));
    }
    EXPECT_GE(calls, 7);
    EXPECT_EQ(user.counted("awaited"), conversations * replies);
}

TEST_P(bridge_absence, requests_that_died_behind_a_living_one_are_removed_in_parts) {
    user.rules.capacity = 0;
    user.setup.out = "out";
    user.request("c", "A");
    user.respond("c", "A", "a"); // it stays, and the list with it
    for (int i = 0; i < 5'000; ++i) {
        user.redis.call({"RPUSH", "bridge:queue:c:req", "bridge:queue:req:dead-" + std::to_string(i)});
    }
    auto item = store::item_of(store::bridge_request{"c", "whatsapp", "B", 0});
    int calls = 1;
    while (user.run(bridge_verb::accept, {item, item}).answers.at(0).state == state::again) {
        ++calls;
    }
    EXPECT_THAT(calls, testing::AllOf(testing::Ge(4), testing::Le(10)));
    EXPECT_EQ(
        user.redis.call({"LRANGE", "bridge:queue:c:req", "0", "-1"}).texts(),
        (std::vector<std::string>{"bridge:queue:req:A", "bridge:queue:req:B"}));
}

// What the scripts of a server have in their memory, the garbage of the last calls with it.
std::int64_t memory_of_scripts(client& redis) {
    auto text = redis.call({"INFO", "memory"}).text;
    std::string field = "used_memory_lua:";
    return std::stoll(text.substr(text.find(field) + field.size()));
}

TEST_P(bridge_absence, a_large_body_is_read_when_it_goes_out_and_not_before) {
    user.setup.out = "out";
    user.request("c", "A");
    user.respond("c", "A", "a");
    user.claims.clear();
    user.redis.call(
        {"EVAL", "redis.call('HSET', KEYS[1], 'taskItem', '{\"body\":\"' .. string.rep('x', 60000000) .. '\"}')", "1",
         "bridge:queue:res:a"});
    user.redis.call({"SCRIPT", "FLUSH", "SYNC"}); // a memory without that text
    store::bridge_response again{
        .ids = {"A", "a", "c"}, .origin = "whatsapp", .timestamp = 0, .task = "{}", .more = false};
    std::vector<store::bridge_item> items(100, store::item_of(again));
    for (const auto& answer : user.run(bridge_verb::accept, items).answers) {
        EXPECT_EQ(answer.state, state::duplicate);
    }
    EXPECT_LT(memory_of_scripts(user.redis), 30'000'000);
    items.clear();
    for (int i = 0; i < 50; ++i) {
        user.request("c", "q" + std::to_string(i));
        items.push_back(store::cancel_item("", "q" + std::to_string(i), "nobody answers"));
    }
    user.run(bridge_verb::accept, items);
    EXPECT_LT(memory_of_scripts(user.redis), 30'000'000);
}

TEST_P(bridge_absence, a_conversation_of_a_thousand_that_ended_is_given_up_in_parts) {
    user.request("c", "A");
    for (int i = 0; i < 1'000; ++i) {
        user.respond("c", "A", std::to_string(i));
    }
    user.claims.clear();
    server.advance(910'000);
    user.collect(15);
    auto first = user.counted("expired");
    EXPECT_GT(first, 0);
    EXPECT_LT(first, 1'000);
    collect_all();
    EXPECT_EQ(user.counted("expired"), 1'000);
    EXPECT_EQ(dead_letters(), 1'000);
}

// ---- rights

TEST_P(bridge_absence, a_user_that_lacks_a_right_changes_nothing) {
    auto out = user.setup.out;
    for (const auto* right :
         {"set", "hset", "hdel", "pexpire", "del", "zadd", "zrem", "rpush", "lpop", "rpop", "lrem"}) {
        user.redis.call({"FLUSHALL"});
        user.claims.clear();
        user.setup.out = "out";
        come("c");
        user.redis.call({"ACL", "SETUSER", "weak", "reset", "on", ">p", "~*", "+@all", std::string{"-"} + right});
        user.redis.call({"AUTH", "weak", "p"});
        std::string said;
        for (int i = 0; i < 3; ++i) {
            try {
                user.request("d", "D");
                user.respond("d", "D", "d" + std::to_string(i));
            } catch (const std::runtime_error& refused) {
                said = refused.what();
            }
            EXPECT_THROW(user.collect(), std::runtime_error) << right;
        }
        user.redis.call({"AUTH", "default", ""});
        EXPECT_THAT(said, HasSubstr("NOPERM")) << right;
        EXPECT_EQ(user.redis.call({"LLEN", "out:whatsapp"}).whole, 1) << right;
        EXPECT_EQ(user.redis.call({"EXISTS", "bridge:queue:req:D", "bridge:queue:d:req", "bridge:queue:d"}).whole, 0)
            << right;
    }
    user.setup.out = out;
}

} // namespace
} // namespace leat::tests
