#include "scripts/taking_case.hpp"

namespace leat::tests {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;

class taking : public taking_case {};
class settling : public taking_case {};

TEST_P(taking, moves_the_oldest_into_the_takers_hand) {
    push({"1", "2", "3"});
    auto me = open();
    auto got = take(me, 2);
    EXPECT_EQ(got.state(), store::numbered_call::done);
    EXPECT_EQ(got.messages(), (texts{"1", "2"}));
    EXPECT_EQ(got.left(), 1);
    EXPECT_EQ(list("in:pending:1"), (texts{"1", "2"}));
    EXPECT_EQ(list("in"), (texts{"3"}));
    EXPECT_EQ(redis.call({"ZSCORE", "in:pending:owners", "1"}).text, std::to_string(now + 30'000));
    EXPECT_EQ(redis.call({"HGET", "in:pending:1:lease", "call"}).text, "1");
}

TEST_P(taking, of_nothing_only_renews) {
    auto me = open();
    now += 10'000;
    auto got = take(me);
    EXPECT_EQ(got.count(), 0);
    EXPECT_EQ(got.next_lease(), 30'000);
    EXPECT_EQ(got.next_delayed(), -1);
}

TEST_P(taking, twice_with_one_number_takes_once) {
    push({"1", "2"});
    auto me = open();
    auto first = take_call(me, 1);
    EXPECT_EQ(taken{run(first)}.messages(), (texts{"1"}));
    EXPECT_EQ(taken{run(first)}.state(), store::numbered_call::not_next);
    ++me.call;
    take(me, 1);
    EXPECT_EQ(taken{run(first)}.state(), store::numbered_call::not_next); // late, from a lost connection
    EXPECT_EQ(list("in:pending:1"), (texts{"1", "2"}));
}

TEST_P(taking, with_a_wrong_token_does_nothing) {
    push({"1"});
    auto me = open();
    auto other = me;
    other.token = "guessed";
    auto before = redis.keyspace();
    EXPECT_EQ(take(other).state(), store::numbered_call::lease_lost);
    EXPECT_EQ(settle(other, {}, 1).state(), store::numbered_call::lease_lost);
    EXPECT_EQ(redis.keyspace(), before);
}

TEST_P(taking, ids_that_are_in_use_are_skipped) {
    redis.call({"LPUSH", "in:pending:1", "of somebody"});
    redis.call({"HSET", "in:pending:2:lease", "token", "of somebody"});
    EXPECT_EQ(open().id, 3);
}

TEST_P(taking, stops_at_the_bytes_but_for_the_first) {
    push({std::string(100, 'a'), std::string(100, 'b')});
    auto me = open();
    auto call = take_call(me, 10);
    call.max_bytes = 150;
    EXPECT_EQ(taken{run(call)}.count(), 1);
    ++me.call;
    call = take_call(me, 10);
    call.max_bytes = 1;
    EXPECT_EQ(taken{run(call)}.count(), 1);
}

TEST_P(taking, a_wrong_type_is_named_and_nothing_changes) {
    for (const std::string wrong : {"in", "in:pending:1", "in:pending:1:lease", "in:pending:owners"}) {
        redis.call({"FLUSHALL"});
        push({"1"});
        auto me = open();
        redis.call({"DEL", wrong});
        redis.call({"SET", wrong, "text"});
        auto before = redis.keyspace();
        auto refused = run(take_call(me, 1));
        EXPECT_THAT(refused.text, HasSubstr("WRONGTYPE"));
        EXPECT_THAT(refused.text, HasSubstr("key=" + wrong));
        EXPECT_EQ(redis.keyspace(), before);
    }
}

TEST_P(settling, large_messages_may_be_named_by_their_digests) {
    std::string large(store::large_message, 'x');
    push({"1", large, large, "2", large + "y"});
    auto me = open();
    take(me, 5);
    auto call = settle_call(
        me, {done("1"), at(1, done(large, {{"out0", large}})), newer(retry(large + "y", 0, "why"))}, 0, order::any);
    EXPECT_EQ(taken{run(call)}.missing(), 0);
    ++me.call;
    EXPECT_EQ(list("out0"), (texts{large}));
    EXPECT_EQ(list("in:pending:1"), (texts{large, "2"}));
    EXPECT_EQ(list("in"), (texts{large + "y"}));
    // What is gone is missing, and nothing else is taken for it.
    auto none = settle_call(me, {done(large + "z"), done("2")});
    EXPECT_EQ(taken{run(none)}.missing(), 1);
    EXPECT_EQ(list("in:pending:1"), (texts{large}));
}

TEST_P(settling, ends_what_is_done_and_hands_over_the_next) {
    push({"1", "2", "3"});
    auto me = open();
    take(me, 2);
    auto got = settle(me, {done("1"), done("2")}, 10);
    EXPECT_EQ(got.state(), store::numbered_call::done);
    EXPECT_EQ(got.missing(), 0);
    EXPECT_EQ(got.messages(), (texts{"3"}));
    EXPECT_EQ(list("in:pending:1"), (texts{"3"}));
    EXPECT_EQ(counted("settled"), "2");
}

TEST_P(settling, in_any_order_and_of_equal_messages_one_each) {
    push({"a", "b", "a", "c"});
    auto me = open();
    take(me);
    auto call = settle_call(me, {done("c"), done("a")});
    EXPECT_EQ(taken{run(call)}.missing(), 0); // said to be the oldest, and are not
    ++me.call;
    EXPECT_THAT(list("in:pending:1"), testing::UnorderedElementsAre("a", "b"));
    call = settle_call(me, {done("b"), done("a")}, 0, order::any);
    EXPECT_EQ(taken{run(call)}.missing(), 0);
    EXPECT_EQ(redis.call({"EXISTS", "in:pending:1"}).whole, 0);
    EXPECT_EQ(counted("settled"), "4");
}

TEST_P(settling, once_however_often_it_comes) {
    push({"1", "1", "2"});
    auto me = open();
    take(me, 2);
    auto call = settle_call(me, {done("1", {{"out0", "answer"}})}, 1);
    EXPECT_EQ(taken{run(call)}.messages(), (texts{"2"}));
    auto before = redis.keyspace();
    EXPECT_EQ(taken{run(call)}.state(), store::numbered_call::not_next);
    EXPECT_EQ(redis.keyspace(), before);
    EXPECT_EQ(list("out0"), (texts{"answer"}));
}

TEST_P(settling, pushes_to_the_outs_in_order) {
    push({"1", "2"});
    auto me = open();
    take(me);
    settle(me, {done("1", {{"out0", "a"}, {"out1", "b"}}), done("2", {{"out0", std::string("\0c", 2)}})});
    EXPECT_EQ(list("out0"), (texts{"a", std::string("\0c", 2)}));
    EXPECT_EQ(list("out1"), (texts{"b"}));
}

TEST_P(settling, what_is_given_up_may_push_and_its_error_has_a_name) {
    push({"1"});
    auto me = open();
    take(me);
    settle(me, {bury("1", "X timeout (5ms)", "Timeout", {{"out1", "sorry"}})});
    EXPECT_EQ(list("dead"), (texts{"1"}));
    EXPECT_EQ(list("out1"), (texts{"sorry"}));
    auto story = redis.call({"HGET", "dead:story", digest("1")}).text;
    EXPECT_THAT(story, HasSubstr(R"("name":"Timeout")"));
    EXPECT_THAT(story, HasSubstr(R"_("reason":"X timeout (5ms)")_"));
}

TEST_P(settling, a_list_that_a_message_named_and_that_is_none_costs_only_this_message) {
    push({"1", "2"});
    redis.call({"HSET", "out1", "f", "v"});
    auto me = open();
    take(me);
    auto call_with = [&](bool by_message) {
        return settle_call(me, {done("1", {{"out0", "a"}, {"out1", "b", by_message}}), done("2", {{"out0", "c"}})});
    };
    EXPECT_TRUE(run(call_with(false)).failed()); // the settings name it: wait for repair
    EXPECT_EQ(taken{run(call_with(true))}.state(), store::numbered_call::done);
    EXPECT_EQ(list("out0"), (texts{"c"}));
    EXPECT_EQ(list("dead"), (texts{"1"}));
    EXPECT_THAT(redis.call({"HGET", "dead:story", digest("1")}).text, HasSubstr("WRONGTYPE"));
}

// The one test that has the words of a call as they are sent. Elsewhere store::write_settlement makes them.
TEST_P(settling, a_call_has_a_letter_for_each_message_then_the_messages_then_what_their_letters_need) {
    std::string large(store::large_message, 'x');
    push({"1", "2", large, "4", "5", "6", "7"});
    redis.call({"SET", "mark", "begun"});
    auto me = open();
    take(me);
    auto call = settle_call_of_none(me);
    call.verdicts = "dpprbgu";
    call.oldest = false;
    call.sides = "rrrrlll";
    call.forms = "bbdbbbb";
    call.outs = {"out0", "mark", "out1"};
    call.named = "skm";
    call.words = {"1",    "2",        store::name_of_large(large) + ":2",
                  "4",    "5",        "6",
                  "7", // the messages
                  "2",    "1",        "a",
                  "2",    "60:begun",      // pushed for 2, and kept
                  "=1",                    // pushed as it is
                  "5000", "why",      "1", // 4 waits
                  "1",    "3",        "b",
                  "bad",  "1",        "Bad",       // pushed for 5, which is dead
                  "1",    "2",        "-1:begun"}; // removed with 7, which goes back
    store::output begun{.to = "mark", .message = "begun", .keep = 60};
    store::output to_named{.to = "out1", .message = "b", .by_message = true};
    auto made = settle_call(
        me,
        {done("1"), done("2", {{"out0", "a"}, begun}), at(2, done(large, {{"out0", large}})), retry("4", 5000, "why"),
         newer(bury("5", "bad", "Bad", {to_named})), newer(give_back("6")),
         newer(give_back("7", {removed("mark", "begun")}))},
        0, order::any);
    EXPECT_EQ(made.verdicts, call.verdicts);
    EXPECT_EQ(made.oldest, call.oldest);
    EXPECT_EQ(made.sides, call.sides);
    EXPECT_EQ(made.forms, call.forms);
    EXPECT_EQ(made.named, call.named);
    EXPECT_EQ(made.outs, call.outs);
    EXPECT_EQ(made.words, call.words);
    EXPECT_EQ(taken{run(call)}.missing(), 0);
    EXPECT_EQ(list("out0"), (texts{"a", large}));
    EXPECT_EQ(list("out1"), (texts{"b"}));
    EXPECT_EQ(list("dead"), (texts{"5"}));
    EXPECT_EQ(list("in"), (texts{"6", "7"}));
    EXPECT_EQ(redis.call({"ZCARD", "in:pending:delayed"}).whole, 1);
    EXPECT_EQ(redis.call({"EXISTS", "mark", "in:pending:1"}).whole, 0);
}

TEST_P(settling, sets_and_deletes_keys_in_the_same_step) {
    push({"1"});
    redis.call({"SET", "out1", "begun"});
    auto me = open();
    take(me);
    auto got = settle(me, {done("1", {kept("out0", "done"), removed("out1", "begun")})});
    EXPECT_EQ(got.state(), store::numbered_call::done);
    EXPECT_EQ(redis.call({"GET", "out0"}).text, "done");
    EXPECT_EQ(redis.call({"TTL", "out0"}).whole, 3600);
    EXPECT_EQ(redis.call({"EXISTS", "out1"}).whole, 0);
    redis.call({"SET", "out1", "another's"});
    push({"2"});
    take(me);
    EXPECT_EQ(settle(me, {done("2", {removed("out1", "begun")})}).state(), store::numbered_call::done);
    EXPECT_EQ(redis.call({"GET", "out1"}).text, "another's");
}

TEST_P(settling, what_is_given_back_takes_its_marks_along) {
    push({"1", "2"});
    redis.call({"SET", "out0", "begun"});
    redis.call({"SET", "out1", "another's"});
    auto me = open();
    take(me);
    auto got = settle(me, {give_back("1", {removed("out0", "begun"), removed("out1", "begun")}), give_back("2")});
    EXPECT_EQ(got.state(), store::numbered_call::done);
    EXPECT_EQ(list("in"), (texts{"1", "2"}));
    EXPECT_EQ(redis.call({"EXISTS", "out0", "in:pending:1"}).whole, 0);
    EXPECT_EQ(redis.call({"GET", "out1"}).text, "another's");
    EXPECT_EQ(counted("settled"), "");
}

TEST_P(settling, what_is_not_in_hand_any_more_has_no_effect) {
    push({"1", "2"});
    auto me = open();
    take(me);
    redis.call({"LREM", "in:pending:1", "1", "1"});
    auto got = settle(me, {done("1", {{"out0", "answer"}}), retry("2", 0, "why")});
    EXPECT_EQ(got.missing(), 1);
    EXPECT_EQ(redis.call({"EXISTS", "out0"}).whole, 0);
    EXPECT_EQ(list("in"), (texts{"2"}));
}

TEST_P(settling, a_retry_waits_and_comes_back_next) {
    push({"1", "2", "1"});
    auto me = open();
    take(me);
    auto got = settle(me, {retry("1", 5000, "exit code 1"), done("2"), retry("1", 7000, "exit code 2")});
    EXPECT_THAT(got.next_delayed(), AllOf(Ge(1250), Le(5000)));      // no later than it is
    EXPECT_EQ(redis.call({"ZCARD", "in:pending:delayed"}).whole, 2); // equal ones are two
    EXPECT_THAT(
        redis.call({"HGET", "in:pending:deliveries", digest("1")}).text,
        HasSubstr(R"("times":"1700000000 1700000000")"));
    store::forward_call forward{.keys = keys, .source = "in", .max_count = 100};
    EXPECT_EQ(run(forward)->forwarded, 0);
    push({"3"});
    now += 6000;
    auto forwarded = run(forward);
    EXPECT_EQ(forwarded->forwarded, 1);
    EXPECT_THAT(forwarded->next, AllOf(Ge(250), Le(1000)));
    EXPECT_EQ(list("in"), (texts{"1", "3"}));
    auto again = take(me, 1);
    EXPECT_EQ(again.failures(), (wholes{1})); // both were delivered once
    EXPECT_EQ(again.messages(), (texts{"1"}));
    settle(me, {done("1")});
    EXPECT_EQ(redis.call({"EXISTS", "in:pending:deliveries"}).whole, 0);
    EXPECT_EQ(counted("retry"), "2");
}

TEST_P(settling, without_a_pause_it_is_next_at_once_and_in_its_order) {
    push({"1", "2", "3", "4"});
    auto me = open();
    take(me, 3);
    auto got = settle(me, {retry("1", 0, "why"), give_back("2"), retry("3", 0, "why")}, 10);
    EXPECT_EQ(got.messages(), (texts{"1", "2", "3", "4"}));
    EXPECT_EQ(got.failures(), (wholes{1, 0, 1, 0}));
}

TEST_P(settling, buries_when_told_and_when_deliveries_are_used_up) {
    push({"1", "2"});
    auto me = open();
    take(me);
    settle(me, {retry("1", 0, "first"), bury("2", "not an order")});
    for (const auto& [reason, delivery] : {std::pair{"second", 2}, std::pair{"third", 3}}) {
        now += 1000;
        take(me);
        settle(me, {retry("1", 0, reason, delivery)});
    }
    EXPECT_EQ(list("dead"), (texts{"2", "1"}));
    EXPECT_EQ(redis.call({"EXISTS", "in", "in:pending:1", "in:pending:deliveries"}).whole, 0);
    EXPECT_EQ(counted("dead"), "2");
    auto story = redis.call({"HGET", "dead:story", digest("1")}).text;
    EXPECT_THAT(story, HasSubstr(R"("reason":"third")"));
    EXPECT_THAT(story, HasSubstr(R"("attempts":3)"));
    EXPECT_THAT(story, HasSubstr(R"("times":"1700000000 1700000001 1700000002")"));
    EXPECT_THAT(story, HasSubstr(R"("origin":"in")"));
    EXPECT_THAT(story, HasSubstr(R"("service":"ns:1")"));
}

TEST_P(settling, equal_messages_share_a_story_that_counts_them) {
    push({"1", "1"});
    auto me = open();
    take(me);
    settle(me, {bury("1", "bad"), bury("1", "bad")});
    EXPECT_EQ(list("dead"), (texts{"1", "1"}));
    EXPECT_THAT(redis.call({"HGET", "dead:story", digest("1")}).text, HasSubstr(R"("copies":2)"));
}

TEST_P(settling, a_wrong_type_is_named_and_nothing_changes) {
    for (const std::string wrong :
         {"in", "in:pending:1", "in:pending:1:lease", "in:pending:owners", "in:pending:delayed", "dead", "dead:story",
          "out0", "out1"}) {
        redis.call({"FLUSHALL"});
        push({"1", "2", "3"});
        auto me = open();
        take(me);
        redis.call({"DEL", wrong});
        redis.call({"SET", wrong, "text"});
        auto before = redis.keyspace();
        auto refused = run(settle_call(
            me, {retry("1", 1, "why"), bury("2", "why"), done("3", {{"out0", "answer"}, {"out1", "answer"}})}, 1));
        EXPECT_THAT(refused.text, HasSubstr("WRONGTYPE"));
        EXPECT_THAT(refused.text, HasSubstr("key=" + wrong));
        EXPECT_EQ(redis.keyspace(), before);
    }
}

TEST_P(settling, ends_what_is_done_though_nothing_can_be_taken) {
    push({"1"});
    auto me = open();
    take(me);
    redis.call({"SET", "in", "text"});
    auto got = settle(me, {done("1")}, 5);
    EXPECT_TRUE(got.source_wrong());
    EXPECT_EQ(redis.call({"EXISTS", "in:pending:1"}).whole, 0);
}

TEST_P(settling, is_not_refused_when_memory_is_used_up) {
    push({"1"});
    auto me = open();
    take(me);
    redis.call({"CONFIG", "SET", "maxmemory", "1"});
    EXPECT_EQ(settle(me, {done("1", {{"out0", "answer"}})}).state(), store::numbered_call::done);
    EXPECT_THAT(run(take_call(me, 1)).text, HasSubstr("OOM"));
    redis.call({"CONFIG", "SET", "maxmemory", "0"});
    EXPECT_EQ(list("out0"), (texts{"answer"}));
}

TEST_P(settling, a_missing_right_changes_nothing) {
    push({"1", "2"});
    auto me = open();
    take(me);
    for (const std::string missing : {"-rpop", "-lpush", "-rpush", "-zadd", "-hset"}) {
        redis.call({"ACL", "SETUSER", "some", "reset", "on", "nopass", "+@all", "~*", missing});
        auto before = redis.keyspace();
        auto other = server.connect();
        other.call({"AUTH", "some", "x"});
        auto made = store::make_call(settle_call(me, {retry("1", 1, "why"), done("2", {{"out0", "answer"}})}));
        EXPECT_TRUE(run_call(other, made).failed()) << missing;
        EXPECT_EQ(redis.keyspace(), before) << missing;
    }
}

TEST_P(settling, edited_counts_of_failures_do_no_harm) {
    push({"1"});
    auto me = open();
    for (const std::string edited :
         {"text", "[]", "null", R"({"deliveries":"many","times":7})", R"({"deliveries":-1})"}) {
        redis.call({"HSET", "in:pending:deliveries", digest("1"), edited});
        auto got = take(me);
        EXPECT_EQ(got.messages(), (texts{"1"}));
        EXPECT_EQ(got.failures(), (wholes{0}));
        EXPECT_EQ(settle(me, {retry("1", 0, "why")}).state(), store::numbered_call::done);
        EXPECT_EQ(list("in"), (texts{"1"}));
    }
}

TEST_P(settling, counts_the_times_that_it_is_told) {
    push({"1", "2"});
    auto me = open();
    take(me);
    auto call = settle_call(me, {done("1"), done("2")});
    call.times = "7 5 1 0 0 0 0 1 0 0 0 0 0";
    run(call);
    auto found = redis.call({"HMGET", "ns:metrics:settled", "count", "sum", "max", "histo0", "histo50", "histo100"});
    EXPECT_EQ(found.texts(), (texts{"2", "7", "5", "1", "1", ""}));
}

auto name_of = [](const auto& instance) { return instance.param; };
INSTANTIATE_TEST_SUITE_P(servers, taking, testing::ValuesIn(server_flavours()), name_of);
INSTANTIATE_TEST_SUITE_P(servers, settling, testing::ValuesIn(server_flavours()), name_of);

} // namespace
} // namespace leat::tests
