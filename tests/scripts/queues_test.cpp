#include "scripts/taking_case.hpp"
#include "store/queues.hpp"

namespace leat::tests {
namespace {

using testing::HasSubstr;
using peeked = std::vector<store::peeked_message>;

class queues : public taking_case {
protected:
    answer_of<store::filter_queue_call> filter_queue(
        const std::string& action, const std::string& target, std::vector<store::chosen_message> chosen = {}) {
        return run(store::filter_queue_call{
            .list = "dead",
            .story = "dead:story",
            .target = target,
            .action = action,
            .max_count = 100,
            .db = 0,
            .chosen = std::move(chosen)});
    }
    void bury(const std::string& message, const std::string& story) {
        redis.call({"LPUSH", "dead", message});
        redis.call({"HSET", "dead:story", digest(message), story});
    }
    answer_of<store::look_at_queue_call> look(const std::string& queue) {
        return run(store::look_at_queue_call{
            .queue = queue,
            .pending = "in:pending",
            .owners = keys.owners(),
            .delayed = keys.delayed(),
            .message_prefixes = {"ns:message:"}});
    }
    static std::int64_t depth(const answer_of<store::look_at_queue_call>& seen) { return seen->depth; }
    static std::int64_t age(const answer_of<store::look_at_queue_call>& seen) { return seen->age; }
};

TEST_P(queues, look_counts_what_there_is) {
    push({"1", "2", "3"});
    auto alive = open();
    auto dead = open("dead");
    take(dead, 1);
    now += 40'000;
    take(alive, 1);
    redis.call({"ZADD", keys.delayed(), "1", "1-1-1:x"});
    redis.call({"LPUSH", "in:pending", "of the original"});
    auto seen = look("in");
    EXPECT_EQ(depth(seen), 1);
    EXPECT_EQ(seen->pending_depth, 1); // in the original's hand
    EXPECT_EQ(seen->takers, 1);        // takers
    EXPECT_EQ(seen->lapsed, 1);        // whose lease has ended
    EXPECT_EQ(seen->delayed_count, 1); // delayed
    EXPECT_EQ(age(seen), -1);
}

TEST_P(queues, look_knows_the_age_of_the_tracked_and_of_the_dead) {
    push({"77"});
    redis.call({"HSET", "ns:message:xid:77", "id", "5"});
    redis.call({"HSET", "ns:message:5", "timestamp", std::to_string(now / 1000 - 30)});
    EXPECT_EQ(age(look("in")), 30);
    bury("x", R"({"died":)" + std::to_string(now / 1000 - 7) + "}");
    EXPECT_EQ(age(look("dead")), 7);
    redis.call({"HSET", "dead:story", digest("x"), "edited"});
    EXPECT_EQ(age(look("dead")), -1);
}

TEST_P(queues, look_tells_what_is_no_list) {
    redis.call({"SET", "in", "text"});
    auto seen = look("in");
    EXPECT_EQ(depth(seen), -1);
    EXPECT_EQ(seen->type, (texts{"string"}));
}

TEST_P(queues, peek_shows_the_oldest_first_with_their_stories) {
    bury("1", "{}");
    redis.call({"LPUSH", "dead", "2", "3"});
    store::peek_call call{.list = "dead", .story = "dead:story", .first = 0, .max_count = 2, .max_bytes = 1000};
    auto seen = run(call);
    EXPECT_EQ(seen->length, 3);
    EXPECT_EQ(seen->shown, (peeked{{.message = "1", .story = "{}"}, {.message = "2", .story = ""}}));
    call.first = 2;
    EXPECT_EQ(run(call)->shown, (peeked{{.message = "3", .story = ""}}));
    call.first = 9;
    EXPECT_TRUE(run(call)->shown.empty());
}

TEST_P(queues, peek_stops_at_the_bytes_and_always_shows_one) {
    push({std::string(5000, 'a'), std::string(5000, 'b'), "c"});
    store::peek_call call{.list = "in", .story = "s", .first = 0, .max_count = 10, .max_bytes = 6000};
    EXPECT_EQ(run(call)->shown.size(), 1U);
    call.max_bytes = 10;
    EXPECT_EQ(run(call)->shown.size(), 1U);
    call.max_bytes = 1 << 20;
    EXPECT_EQ(run(call)->shown.size(), 3U);
}

TEST_P(queues, filter_moves_deletes_and_keeps_in_order) {
    redis.call({"LPUSH", "dead", "1", "2", "3", "4"});
    auto moved = filter_queue(
        "move", "to",
        {store::choose("1", true), store::choose("2", false), store::choose("3", true), store::choose("4", false)});
    EXPECT_EQ(moved->looked, 4);
    EXPECT_EQ(moved->done, 2);
    EXPECT_EQ(list("to"), (texts{"1", "3"}));
    EXPECT_EQ(list("dead"), (texts{"2", "4"}));
    EXPECT_EQ(filter_queue("delete", "dead")->done, 2);
    EXPECT_EQ(redis.call({"EXISTS", "dead"}).whole, 0);
}

TEST_P(queues, filter_passes_over_what_others_took) {
    redis.call({"LPUSH", "dead", "1", "2", "3"});
    auto seen = filter_queue(
        "delete", "dead",
        {store::choose("0", true), store::choose("1", true), store::choose("9", true), store::choose("3", true)});
    EXPECT_EQ(seen->looked, 4);
    EXPECT_EQ(seen->done, 1);
    EXPECT_EQ(seen->gone, 3); // 0 and 9 are gone, and 3 is not next: nothing is done to what nobody chosen
    EXPECT_EQ(list("dead"), (texts{"2", "3"}));
}

TEST_P(queues, filter_sends_back_to_where_each_came_from) {
    bury("1", R"({"origin":"in","copies":2})");
    redis.call({"LPUSH", "dead", "1"}); // an equal one
    bury("2", R"({"origin":"other"})");
    bury("3", R"({"origin":"in","db":3})");
    bury("4", R"({"origin":"in","server":"redis://there"})");
    bury("5", R"({"origin":"dead"})");
    bury("6", "edited");
    redis.call({"LPUSH", "dead", "7"});
    redis.call({"SET", "wrong", "text"});
    bury("8", R"({"origin":"wrong"})");
    auto seen = filter_queue("redrive", "dead");
    EXPECT_EQ(seen->done, 3);
    EXPECT_EQ(seen->homeless, 6);
    EXPECT_THAT(seen->reasons.at(0), HasSubstr("database 3"));
    EXPECT_EQ(list("in"), (texts{"1", "1"}));
    EXPECT_EQ(list("other"), (texts{"2"}));
    EXPECT_EQ(list("dead"), (texts{"3", "4", "5", "6", "7", "8"}));
    EXPECT_EQ(redis.call({"HEXISTS", "dead:story", digest("1")}).whole, 0);
    EXPECT_EQ(redis.call({"HLEN", "dead:story"}).whole, 5);
    EXPECT_EQ(filter_queue("redrive", "to")->done, 6); // somebody says where
    EXPECT_EQ(redis.call({"EXISTS", "dead", "dead:story"}).whole, 0);
}

TEST_P(queues, filter_refuses_wrong_types) {
    for (const std::string wrong : {"dead", "to"}) {
        redis.call({"FLUSHALL"});
        redis.call({"LPUSH", wrong == "dead" ? "to" : "dead", "1"});
        redis.call({"SET", wrong, "text"});
        auto before = redis.keyspace();
        EXPECT_THAT(filter_queue("move", "to").text, HasSubstr("key=" + wrong));
        EXPECT_EQ(redis.keyspace(), before);
    }
}

TEST_P(queues, redrive_one_takes_it_from_the_middle) {
    bury("1", R"({"origin":"in"})");
    bury("2", R"({"origin":"in"})");
    bury("3", R"({"origin":"in"})");
    store::redrive_call call{.dead = "dead", .story = "dead:story", .db = 0, .message = "2"};
    EXPECT_EQ(run(call)->told, (texts{"in"}));
    redis.call({"HSET", "dead:story", digest("2"), R"({"origin":"in"})"});
    EXPECT_EQ(run(call)->state, store::redriving::not_there);
    EXPECT_EQ(list("dead"), (texts{"1", "3"}));
    EXPECT_EQ(list("in"), (texts{"2"}));
    EXPECT_EQ(redis.call({"HLEN", "dead:story"}).whole, 3);
    for (const std::string story : {R"({"origin":""})", R"({"origin":"in","server":"redis://there"})", "edited"}) {
        redis.call({"HSET", "dead:story", digest("3"), story});
        call.message = "3";
        EXPECT_EQ(run(call)->state, store::redriving::homeless);
    }
    EXPECT_EQ(list("dead"), (texts{"1", "3"}));
}

TEST_P(queues, find_looks_by_the_id_that_a_message_brings) {
    push({"1", R"({"meta":{"id":"x"}})", "text"});
    store::find_message_call call{.list = "in", .xid = "x", .first = 0, .max_count = 100};
    EXPECT_EQ(run(call)->place, 1);
    call.xid = digest("text");
    EXPECT_EQ(run(call)->place, 2);
    call.max_count = 2;
    EXPECT_EQ(run(call)->place, -1);
    call.first = 2;
    EXPECT_EQ(run(call)->place, 2);
    redis.call({"ZADD", "delayed", "1", "1-2-3:7", "2", "1-2-4:8"});
    call = {.list = "delayed", .xid = "8", .first = 0, .max_count = 100};
    EXPECT_EQ(run(call)->place, 1);
    redis.call({"SET", "wrong", "text"});
    call.list = "wrong";
    EXPECT_THAT(run(call).text, HasSubstr("WRONGTYPE"));
}

TEST_P(queues, show_knows_how_a_message_is) {
    auto show = [this](const std::string& id, const std::string& xid = "") {
        return run(store::show_message_call{.keys = store::message_keys{"ns"}, .id = id, .xid = xid});
    };
    using enum store::message_state;
    redis.call({"SET", "ns:message:id", "9"});
    EXPECT_EQ(show("10")->state, unknown);
    EXPECT_EQ(show("x")->state, unknown);
    redis.call(
        {"BITFIELD", "ns:message:ended:0", "SET", "u2", "#1", "1", "SET", "u2", "#2", "2", "SET", "u2", "#3", "3"});
    EXPECT_EQ(show("1")->state, done);
    EXPECT_EQ(show("2")->state, timed_out);
    EXPECT_EQ(show("3")->state, dead);
    EXPECT_EQ(show("4")->state, unknown);
    auto second = now / 1000;
    redis.call(
        {"HSET", "ns:message:5", "timestamp", std::to_string(second - 3), "deadline", std::to_string(second + 7), "xid",
         "77", "service", "2", "attempts", "1", "times", "1"});
    redis.call({"HSET", "ns:message:xid:77", "id", "5"});
    auto seen = show("", "77");
    EXPECT_EQ(seen->state, delivered);
    EXPECT_EQ(seen->age, 3);
    EXPECT_EQ(seen->body, "");
    redis.call({"SET", "ns:message:5:body", std::string(2000, 'x')});
    EXPECT_EQ(show("5")->body, std::string(1000, 'x'));
    EXPECT_EQ(show("5")->size, 2000);
    redis.call({"DEL", "ns:message:5:body"});
    EXPECT_EQ(seen->due, 7);
    EXPECT_EQ(seen->id, "5");
    EXPECT_EQ(seen->xid, "77");
    EXPECT_EQ(seen->service, "2");
    EXPECT_EQ(seen->attempts, "1");
    EXPECT_EQ(seen->times, "1");
    EXPECT_TRUE(seen->reported.empty());
    redis.call({"SADD", "ns:message:5:done", "out0"});
    EXPECT_EQ(show("5")->reported, (texts{"out0"}));
    redis.call({"ZADD", "ns:message:retries", std::to_string(now + 4000), "5"});
    EXPECT_EQ(show("5")->state, waiting);
    EXPECT_EQ(show("5")->due, 4);
}

TEST_P(queues, retry_now_makes_due_what_can_be_delivered_again) {
    auto retry_now = [this] { return run(store::retry_now_call{.keys = store::message_keys{"ns"}, .id = "5"})->state; };
    EXPECT_EQ(retry_now(), store::retrying::not_retried);
    redis.call({"HSET", "ns:message:5", "timestamp", "1"});
    EXPECT_EQ(retry_now(), store::retrying::not_retried); // without retry it would only end
    redis.call({"HSET", "ns:message:5", "attempts", "1", "service", "2"});
    EXPECT_EQ(retry_now(), store::retrying::used_up); // nobody knows how often it may be tried
    redis.call(
        {"SET", "ns:message:plan:2",
         R"({"outs":["a"],"attempts":2,"first":4,"factor":2,"max":60,"jitter":0,"timeout":10,"expire":84,"maxLength":0,)"
         R"("dead":"dead","origin":"in","db":0,"server":""})"});
    EXPECT_EQ(retry_now(), store::retrying::due);
    EXPECT_EQ(redis.call({"ZSCORE", "ns:message:retries", "5"}).text, std::to_string(now));
    redis.call({"ZADD", "ns:message:retries", "9999999999999", "5"});
    EXPECT_EQ(retry_now(), store::retrying::due);
    EXPECT_EQ(redis.call({"ZSCORE", "ns:message:retries", "5"}).text, std::to_string(now));
    redis.call({"HSET", "ns:message:5", "attempts", "2"});
    EXPECT_EQ(retry_now(), store::retrying::used_up);
}

TEST_P(queues, takers_are_listed_with_what_they_have) {
    push({"1", "2"});
    auto me = open();
    take(me);
    now += 10'000;
    auto listed = run(store::list_takers_call{.keys = keys, .first = 0, .max_count = 10});
    EXPECT_EQ(listed->all, 1);
    ASSERT_EQ(listed->rows.size(), 1U);
    const auto& row = listed->rows[0];
    EXPECT_EQ(row.id, "1");
    EXPECT_EQ(row.name, "exec");
    EXPECT_EQ(row.in_flight, 2);
}

TEST_P(queues, settling_reports_what_is_tracked) {
    redis.call({"SET", "ns:message:tracked", "2"});
    redis.call({"HSET", "ns:message:xid:77", "id", "5"});
    push({"77", "78"});
    auto me = open();
    take(me);
    auto call = settle_call(me, {done("77"), done("78")});
    call.tracked = "ns:message:";
    call.reports = "ns:message:done";
    run(call);
    EXPECT_EQ(list("ns:message:done"), (texts{"5:in"}));
    push({"79"});
    ++me.call;
    take(me);
    redis.call({"DEL", "ns:message:done"});
    redis.call({"SET", "ns:message:done", "text"});
    call = settle_call(me, {done("79")});
    call.tracked = "ns:message:";
    call.reports = "ns:message:done";
    EXPECT_THAT(run(call).text, HasSubstr("key=ns:message:done"));
    EXPECT_EQ(list("in:pending:1"), (texts{"79"}));
}

INSTANTIATE_TEST_SUITE_P(servers, queues, testing::ValuesIn(server_flavours()), [](const auto& instance) {
    return instance.param;
});

} // namespace
} // namespace leat::tests
