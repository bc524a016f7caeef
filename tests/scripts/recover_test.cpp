#include "scripts/taking_case.hpp"

namespace leat::tests {
namespace {

using testing::HasSubstr;
using held = std::vector<store::held_message>;

class recovery : public taking_case {};

TEST_P(recovery, the_living_keep_what_they_have) {
    push({"1"});
    auto me = open();
    take(me);
    now += 29'000;
    EXPECT_EQ(recover()->recovered, 0);
    EXPECT_EQ(list("in:pending:1"), (texts{"1"}));
}

TEST_P(recovery, what_the_dead_had_is_next_again_in_its_order) {
    push({"1", "2", "3"});
    auto me = open();
    take(me, 2);
    now += 30'001;
    auto first = recover();
    EXPECT_EQ(first->ended, 1);
    EXPECT_EQ(first->recovered, 2);
    EXPECT_FALSE(first->more);
    EXPECT_EQ(list("in"), (texts{"1", "2", "3"}));
    EXPECT_EQ(redis.call({"EXISTS", "in:pending:1", "in:pending:1:lease", "in:pending:owners"}).whole, 0);
    EXPECT_EQ(counted("recovered"), "2");
    EXPECT_EQ(recover()->recovered, 0);                                           // whoever comes second
    EXPECT_EQ(settle(me, {done("1")}).state(), store::numbered_call::lease_lost); // it was not dead, but it is too late
    EXPECT_EQ(list("in"), (texts{"1", "2", "3"}));
}

TEST_P(recovery, whose_process_is_gone_is_dead_before_its_time) {
    push({"1", "2"});
    auto me = open();
    auto other = open("other");
    take(me, 1);
    take(other, 1);
    auto call = recover_call();
    call.gone = {{"1", "p"}, {"77", "p"}, {"2", "another"}};
    EXPECT_EQ(run(call)->recovered, 1);
    EXPECT_EQ(list("in"), (texts{"1"}));
    EXPECT_EQ(list("in:pending:2"), (texts{"2"}));
}

TEST_P(recovery, who_asks_is_alive) {
    push({"1"});
    auto me = open();
    take(me);
    now += 60'000; // it stood still, and nobody was there to notice
    auto call = recover_call();
    call.own = 1;
    call.gone = {{"1", "p"}};
    EXPECT_EQ(run(call)->recovered, 0);
    EXPECT_EQ(settle(me, {done("1")}).state(), store::numbered_call::done);
}

TEST_P(recovery, waits_while_the_server_is_young) {
    push({"1"});
    auto me = open();
    take(me);
    now += 60'000;
    auto call = recover_call();
    call.grace = 3600;
    EXPECT_EQ(run(call)->recovered, 0);
    EXPECT_EQ(list("in:pending:1"), (texts{"1"}));
}

TEST_P(recovery, suspects_are_taken_alone) {
    push({"1", "2", "3", "4"});
    auto dead = open();
    take(dead, 2);
    now += 31'000;
    recover();
    auto me = open();
    auto first = take(me);
    EXPECT_EQ(first.messages(), (texts{"1"}));
    EXPECT_EQ(first.failures(), (wholes{1}));
    EXPECT_TRUE(first.waits());
    auto still = take(me);
    EXPECT_EQ(still.count(), 0);
    EXPECT_TRUE(still.waits());
    auto other = open("other");
    auto next = take(other);
    EXPECT_EQ(next.messages(), (texts{"2"})); // another may try the next
    EXPECT_EQ(next.failures(), (wholes{1}));
    auto rest = settle(me, {done("1")}, 100);
    EXPECT_EQ(rest.messages(), (texts{"3", "4"}));
    EXPECT_EQ(rest.failures(), (wholes{0, 0}));
    settle(other, {done("2")});
    EXPECT_EQ(redis.call({"EXISTS", "in:pending:suspects", "in:pending:deliveries"}).whole, 0);
}

TEST_P(recovery, a_full_hand_waits_before_a_suspect) {
    push({"9"});
    auto dead = open();
    take(dead);
    now += 31'000;
    recover();
    redis.call({"RPUSH", "in", "1"}); // before it
    auto me = open();
    auto got = take(me);
    EXPECT_EQ(got.messages(), (texts{"1"}));
    EXPECT_EQ(got.failures(), (wholes{0}));
    EXPECT_TRUE(got.waits());
    auto suspect = settle(me, {done("1")}, 100);
    EXPECT_EQ(suspect.messages(), (texts{"9"}));
    EXPECT_EQ(suspect.failures(), (wholes{1}));
}

TEST_P(recovery, exactly_the_message_that_kills_is_given_up) {
    texts all;
    for (int i = 0; i < 100; ++i) {
        all.push_back("m" + std::to_string(i));
    }
    push(all);
    texts done;
    for (int life = 0; life < 10 && redis.call({"LLEN", "dead"}).whole == 0; ++life) {
        auto me = open("life" + std::to_string(life));
        auto got = take(me);
        while (got.count() > 0) {
            auto batch = got.messages();
            batch.resize(static_cast<std::size_t>(got.count()));
            bool dies = std::ranges::find(batch, "m50") != batch.end();
            if (dies) {
                break;
            }
            done.insert(done.end(), batch.begin(), batch.end());
            got = settle(me, all_done(batch), 100);
        }
        now += 31'000;
        recover();
    }
    EXPECT_EQ(list("dead"), (texts{"m50"}));
    EXPECT_THAT(redis.call({"HGET", "dead:story", digest("m50")}).text, HasSubstr(R"("attempts":3)"));
    auto me = open();
    for (auto got = take(me); got.count() > 0; got = take(me)) {
        auto batch = got.messages();
        batch.resize(static_cast<std::size_t>(got.count()));
        done.insert(done.end(), batch.begin(), batch.end());
        settle(me, all_done(batch));
    }
    EXPECT_EQ(done.size(), 99U);
    std::ranges::sort(done);
    EXPECT_EQ(std::ranges::adjacent_find(done), done.end());
}

TEST_P(recovery, many_dead_are_seen_to_in_parts) {
    for (int i = 0; i < 50; ++i) {
        push({"m" + std::to_string(i)});
        auto one = open();
        take(one);
    }
    now += 31'000;
    auto call = recover_call();
    call.max_owners = 20;
    int calls = 0;
    for (bool more = true; more; ++calls) {
        more = run(call)->more;
    }
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(redis.call({"LLEN", "in"}).whole, 50);
    EXPECT_EQ(redis.call({"EXISTS", "in:pending:owners"}).whole, 0);
    call.max_count = 7; // of one hand, too
    auto me = open();
    take(me);
    take(me);
    now += 31'000;
    calls = 0;
    for (bool more = true; more && calls < 100; ++calls) {
        more = run(call)->more;
    }
    EXPECT_EQ(redis.call({"LLEN", "in"}).whole, 50);
}

TEST_P(recovery, a_wrong_hand_is_told_and_holds_up_nobody) {
    push({"1", "2"});
    auto one = open();
    auto two = open("two");
    take(one, 1);
    take(two, 1);
    redis.call({"DEL", "in:pending:1"});
    redis.call({"SET", "in:pending:1", "text"});
    now += 31'000;
    auto done = recover();
    EXPECT_EQ(done->recovered, 1);
    EXPECT_THAT(done->trouble, testing::ElementsAre(HasSubstr("key=in:pending:1")));
    EXPECT_EQ(redis.call({"GET", "in:pending:1"}).text, "text");
}

TEST_P(recovery, a_wrong_type_is_named_and_nothing_changes) {
    for (const std::string wrong : {"in", "in:pending:owners", "dead", "dead:story"}) {
        redis.call({"FLUSHALL"});
        push({"1", "2"});
        auto me = open();
        take(me, 1);
        now += 31'000;
        redis.call({"DEL", wrong});
        redis.call({"SET", wrong, "text"});
        auto before = redis.keyspace();
        EXPECT_THAT(recover().text, HasSubstr("key=" + wrong));
        EXPECT_EQ(redis.keyspace(), before);
    }
}

TEST_P(recovery, release_gives_back_without_blame) {
    push({"1", "2", "3"});
    auto me = open();
    take(me, 2);
    store::release_call release{.keys = keys, .source = "in", .id = 1, .token = "guessed", .max_count = 100};
    EXPECT_EQ(run(release)->state, store::leased_call::lease_lost);
    release.token = "secret";
    EXPECT_EQ(run(release)->given, 2);
    EXPECT_EQ(list("in"), (texts{"1", "2", "3"}));
    EXPECT_EQ(redis.call({"DBSIZE"}).whole, 2); // in, and the counter of ids
}

TEST_P(recovery, a_lease_counts_no_more_when_some_of_its_hand_was_given_back) {
    push({"1", "2", "3"});
    auto me = open();
    take(me);
    store::release_call release{.keys = keys, .source = "in", .id = 1, .token = "secret", .max_count = 2};
    EXPECT_EQ(run(release)->left, 1);
    EXPECT_TRUE(redis.call({"HGET", keys.lease(1), "token"}).text.empty());
    EXPECT_EQ(settle(me, {done("3")}).state(), store::numbered_call::lease_lost);
    EXPECT_EQ(run(release)->left, 0);
    EXPECT_EQ(list("in"), (texts{"1", "2", "3"}));
    EXPECT_EQ(redis.call({"DBSIZE"}).whole, 2);
}

TEST_P(recovery, a_taker_can_read_its_hand_and_fences_what_was_on_the_way) {
    push({"1", "2", "3", "4"});
    auto me = open();
    take(me, 3);
    redis.call({"HSET", "in:pending:deliveries", digest("2"), R"({"deliveries":4})"});
    auto late = settle_call(me, {done("1")});
    store::read_hand_call read{
        .keys = keys, .id = 1, .token = "secret", .first = 0, .max_count = 2, .max_bytes = 1'000'000};
    auto found = run(read);
    EXPECT_EQ(found->call, 2); // from now on
    EXPECT_EQ(found->last, 1); // was done
    EXPECT_EQ(found->length, 3);
    EXPECT_EQ(found->messages, (held{{.message = "3"}, {.message = "2", .failures = 4}}));
    read.first = 2;
    EXPECT_EQ(run(read)->messages, (held{{.message = "1"}}));
    EXPECT_EQ(taken{run(late)}.state(), store::numbered_call::not_next); // it comes after all, and does nothing
    EXPECT_EQ(list("in:pending:1"), (texts{"1", "2", "3"}));
    me.call = 2;
    EXPECT_EQ(settle(me, {done("1")}).state(), store::numbered_call::done);
    read.token = "guessed";
    EXPECT_EQ(run(read)->state, store::leased_call::lease_lost);
}

TEST_P(recovery, of_large_messages_only_the_digest_is_told_and_each_can_be_had_by_it) {
    std::string large(store::large_message, 'x');
    push({"small", large, large + "y"});
    auto me = open();
    take(me, 3);
    auto found = run(store::read_hand_call{
        .keys = keys,
        .id = 1,
        .token = "secret",
        .first = 0,
        .max_count = 10,
        .max_bytes = 1'000'000,
        .shy = store::large_message});
    EXPECT_EQ(
        found->messages,
        (held{
            {.name = store::name_of_large(large + "y")}, {.name = store::name_of_large(large)}, {.message = "small"}}));
    store::find_held_call find{.keys = keys, .id = 1, .token = "secret", .held = store::name_of_large(large)};
    EXPECT_EQ(run(find)->message, (texts{large}));
    find.held = store::name_of_large("of none");
    EXPECT_TRUE(run(find)->message.empty());
    find.token = "guessed";
    EXPECT_EQ(run(find)->state, store::leased_call::lease_lost);
}

TEST_P(recovery, a_large_message_can_be_given_up_unseen) {
    std::string large(store::large_message, 'x');
    push({"small", large});
    auto me = open();
    take(me, 2);
    store::bury_call bury{
        .keys = keys,
        .dead = "dead",
        .id = 1,
        .token = "guessed",
        .held = store::name_of_large(large),
        .source = "in",
        .service = "ns:1",
        .name = "TooLarge",
        .reason = "why",
        .attempts = 5};
    auto before = redis.keyspace();
    EXPECT_EQ(run(bury)->state, store::leased_call::lease_lost);
    EXPECT_EQ(redis.keyspace(), before);
    bury.token = "secret";
    EXPECT_TRUE(run(bury)->buried);
    EXPECT_FALSE(run(bury)->buried) << "once";
    EXPECT_EQ(list("in:pending:1"), (texts{"small"}));
    EXPECT_EQ(list("dead"), (texts{large}));
    EXPECT_THAT(redis.call({"HGET", "dead:story", digest(large)}).text, testing::HasSubstr(R"("name":"TooLarge")"));
}

TEST_P(recovery, equal_messages_in_one_hand_have_died_once) {
    push({"1", "1", "1"});
    auto me = open();
    take(me);
    now += 31'000;
    EXPECT_EQ(recover()->recovered, 3);
    EXPECT_EQ(list("in"), (texts{"1", "1", "1"}));
    EXPECT_THAT(redis.call({"HGET", "in:pending:deliveries", digest("1")}).text, HasSubstr(R"("deliveries":1)"));
}

TEST_P(recovery, an_id_is_found_at_once_when_the_last_one_is_forgotten_and_very_many_are_taken) {
    redis.call(
        {"EVAL", R"(
for id = 1, 50000 do redis.call('HSET', 'in:pending:' .. id .. ':lease', 'token', 'of the dead') end
)",
         "0"});
    redis.call({"CONFIG", "RESETSTAT"});
    EXPECT_GT(open().id, 50'000);
    EXPECT_THAT(redis.call({"INFO", "commandstats"}).text, HasSubstr("cmdstat_incrby:calls=16,"));
}

TEST_P(recovery, takers_of_another_queue_are_refused) {
    open();
    store::open_lease_call other{
        .keys = keys,
        .token = "t",
        .lease_time = 1,
        .host = "h",
        .pid = "1",
        .name = "exec",
        .source = "elsewhere",
        .process = "p"};
    EXPECT_THAT(run(other).text, HasSubstr("another queue: in"));
}

TEST_P(recovery, a_missing_right_orphans_nothing) {
    push({"1", "2"});
    auto me = open();
    take(me);
    now += 31'000;
    for (const std::string missing : {"-lmove", "-lpop", "-hset"}) {
        redis.call({"ACL", "SETUSER", "some", "reset", "on", "nopass", "+@all", "~*", missing});
        auto before = redis.keyspace();
        auto other = server.connect();
        other.call({"AUTH", "some", "x"});
        EXPECT_THAT(run_call_at(other, store::make_call(recover_call()), now).text, HasSubstr("NOPERM")) << missing;
        EXPECT_EQ(redis.keyspace(), before) << missing;
    }
}

INSTANTIATE_TEST_SUITE_P(servers, recovery, testing::ValuesIn(server_flavours()), [](const auto& instance) {
    return instance.param;
});

} // namespace
} // namespace leat::tests
