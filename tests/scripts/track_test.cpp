// What is written of a message when it is moved: transfer_tracked, and track for what was moved elsewhere.
#include "redis/failure.hpp"
#include "tracking_case.hpp"

namespace leat::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class track : public tracking_case {
protected:
    // How xid and type of a message come out.
    std::pair<std::string, std::string> xid_of(const std::string& message) {
        EXPECT_EQ(transfer(message)->tracked, 1);
        auto id = redis.call({"GET", "ns:message:id"}).text;
        auto xid = hgetall("ns:message:" + id)["xid"];
        auto cross = hgetall("ns:message:xid:" + xid);
        EXPECT_EQ(cross["id"], id);
        return {xid, cross["type"]};
    }

    std::string sha1(const std::string& text) {
        return redis.call({"EVAL", "return redis.sha1hex(ARGV[1])", "0", text}).text;
    }
};

TEST_P(track, writes_the_keys_of_the_seed) {
    redis.call({"SET", "ns:message:id", "2"});
    auto moved = transfer("12345");
    EXPECT_EQ(moved->moved, 1);
    EXPECT_EQ(moved->tracked, 1);
    EXPECT_THAT(list("out1"), ElementsAre("12345"));
    EXPECT_THAT(list("ns:message:ids"), ElementsAre("3"));
    EXPECT_THAT(
        redis.call({"HGETALL", "ns:message:3"}).texts(),
        ElementsAre("timestamp", "1459166173", "xid", "12345", "deadline", "1459166183", "service", "1"));
    EXPECT_THAT(redis.call({"HGETALL", "ns:message:xid:12345"}).texts(), ElementsAre("id", "3", "type", "number"));
    EXPECT_THAT(
        redis.call({"ZRANGE", "ns:message:deadlines", "0", "-1", "WITHSCORES"}).texts(),
        ElementsAre("3", "1459166183500"));
    for (const auto* key : {"ns:message:3", "ns:message:xid:12345"}) {
        auto left = redis.call({"TTL", key}).whole;
        EXPECT_TRUE(left == 60 || left == 59) << key << " " << left;
    }
    EXPECT_EQ(redis.call({"GET", "ns:message:tracked"}).text, "1");
    EXPECT_EQ(redis.call({"DBSIZE"}).whole, 8); // and the two outs
}

TEST_P(track, xid_is_the_number_the_meta_id_or_the_sha1) {
    using pair = std::pair<std::string, std::string>;
    const std::string long_digits(256, '7');
    const std::string longer(257, '7');
    const std::string deep = R"({"meta":{"id":"x"},"a":)" + std::string(2000, '[') + std::string(2000, ']') + "}";
    const std::string large = R"({"meta":{"id":"x"},"a":")" + std::string(1 << 16, 'a') + "\"}";
    struct {
        std::string message;
        pair expected;
    } cases[]{
        {"12345", {"12345", "number"}},
        {"007", {"007", "number"}},
        {long_digits, {long_digits, "number"}},
        {longer, {sha1(longer), "sha1"}},
        {"-5", {sha1("-5"), "sha1"}},
        {"1.5", {sha1("1.5"), "sha1"}},
        {"", {sha1(""), "sha1"}},
        {R"({"meta":{"id":"order-7"}})", {"order-7", "meta"}},
        {" \n{ \"a\":1, \"meta\" : { \"b\":2, \"id\" : \"x y\" } }", {"x y", "meta"}},
        {R"({"meta":{"id":145916617312345}})", {"145916617312345", "meta"}},
        {R"({"meta":{"id":12345678901234567890123}})", {"12345678901234567890123", "meta"}},
        {R"({"id":7,"meta":{"x":{"id":8},"id":9.50 , "y":[{"id":10}]}})", {"9.50", "meta"}},
        {R"({"meta":{"id":1},"meta":{"id":22}})", {"22", "meta"}},
        {R"({"s":"\"meta\":{\"id\":5}","meta":{"t":"}\\","id":-6e3}})", {"-6e3", "meta"}},
        {R"({"m\u0065ta":{"i\u0064":31}})", {"31", "meta"}},
        {R"({"meta":{"id":0}})", {"0", "meta"}},
        {R"({"meta":{"id":"\u00e4"}})", {"\xc3\xa4", "meta"}},
        {R"({"meta":{"id":""}})", {sha1(R"({"meta":{"id":""}})"), "sha1"}},
        {R"({"meta":null})", {sha1(R"({"meta":null})"), "sha1"}},
        {R"({"meta":{"id":null}})", {sha1(R"({"meta":{"id":null}})"), "sha1"}},
        {R"({"meta":{"id":true}})", {sha1(R"({"meta":{"id":true}})"), "sha1"}},
        {R"({"meta":{"id":[1]}})", {sha1(R"({"meta":{"id":[1]}})"), "sha1"}},
        {R"({"meta":{"id":0x1F}})", {sha1(R"({"meta":{"id":0x1F}})"), "sha1"}},
        {R"({"meta":"id"})", {sha1(R"({"meta":"id"})"), "sha1"}},
        {R"([{"meta":{"id":1}}])", {sha1(R"([{"meta":{"id":1}}])"), "sha1"}},
        {R"({"meta":{"id":1}} x)", {sha1(R"({"meta":{"id":1}} x)"), "sha1"}},
        {R"({"meta":{"id":")" + std::string(256, 'i') + "\"}}", {std::string(256, 'i'), "meta"}},
        {R"({"meta":{"id":")" + std::string(257, 'i') + "\"}}",
         {sha1(R"({"meta":{"id":")" + std::string(257, 'i') + "\"}}"), "sha1"}},
        {deep, {sha1(deep), "sha1"}},
        {large, {sha1(large), "sha1"}},
        {std::string{"\0\xff{", 3}, {sha1(std::string{"\0\xff{", 3}), "sha1"}},
    };
    for (const auto& each : cases) {
        SCOPED_TRACE(each.message.substr(0, 100));
        EXPECT_EQ(xid_of(each.message), each.expected);
    }
}

TEST_P(track, the_newest_of_equal_messages_has_the_cross_reference) {
    transfer("same");
    transfer("same");
    EXPECT_EQ(hgetall("ns:message:xid:" + sha1("same"))["id"], "2");
    complete({"1"});
    EXPECT_EQ(hgetall("ns:message:xid:" + sha1("same"))["id"], "2");
    complete({"2"});
    EXPECT_FALSE(exists("ns:message:xid:" + sha1("same")));
}

TEST_P(track, an_id_whose_key_exists_is_skipped_and_counted) {
    redis.call({"HSET", "ns:message:1", "old", "one"});
    redis.call({"SET", "ns:message:3", "another"});
    redis.call({"LPUSH", "in", "a", "b", "c"});
    EXPECT_EQ(run(transfer_call())->tracked, 3);
    EXPECT_THAT(list("ns:message:ids"), ElementsAre("5", "4", "2"));
    EXPECT_EQ(count_of("message:exists"), "2");
    EXPECT_EQ(hgetall("ns:message:1"), (hash{{"old", "one"}}));
    EXPECT_EQ(redis.call({"GET", "ns:message:3"}).text, "another");
}

TEST_P(track, beyond_the_capacity_messages_go_untracked_and_are_counted) {
    auto given = transfer_call();
    given.capacity = 2;
    redis.call({"LPUSH", "in", "a", "b", "c", "d", "e"});
    auto moved = run(given);
    EXPECT_EQ(moved->moved, 5);
    EXPECT_EQ(moved->tracked, 2);
    EXPECT_EQ(moved->untracked, 3);
    EXPECT_EQ(list("out0").size(), 5U);
    EXPECT_THAT(list("ns:message:ids"), ElementsAre("2", "1"));
    EXPECT_EQ(metric("messageCapacity"), (hash{{"count", "3"}, {"max", "2"}}));
    EXPECT_EQ(redis.call({"GET", "ns:message:id"}).text, "2"); // none was burnt
    complete({"1"});
    transfer("f", given);
    EXPECT_THAT(list("ns:message:ids"), ElementsAre("3", "2"));
}

TEST_P(track, with_wait_what_has_no_room_is_not_moved) {
    auto given = retried_call();
    given.capacity = 2;
    given.wait = true;
    redis.call({"LPUSH", "in", "a", "b", "c"});
    auto moved = run(given);
    EXPECT_EQ(moved->moved, 2);
    EXPECT_EQ(moved->left, 1);
    EXPECT_TRUE(moved->no_room);
    auto before = redis.keyspace();
    auto stopped = run(given);
    EXPECT_EQ(stopped->moved, 0);
    EXPECT_TRUE(stopped->no_room);
    EXPECT_EQ(redis.keyspace(), before);
    complete({"2"});
    auto went_on = run(given);
    EXPECT_EQ(went_on->moved, 1);
    EXPECT_FALSE(went_on->no_room);
}

TEST_P(track, with_retry_the_body_is_kept_and_the_hash_tells_of_attempts) {
    transfer("body", retried_call());
    EXPECT_EQ(redis.call({"GET", "ns:message:1:body"}).text, "body");
    EXPECT_GT(redis.call({"TTL", "ns:message:1:body"}).whole, 80);
    EXPECT_EQ(hgetall("ns:message:1")["attempts"], "1");
    EXPECT_EQ(hgetall("ns:message:1")["times"], "1459166173");
    EXPECT_THAT(redis.call({"GET", "ns:message:plan:1"}).text, HasSubstr("out1"));
    EXPECT_GT(redis.call({"TTL", "ns:message:plan:1"}).whole, 80);
}

TEST_P(track, keys_in_another_database_are_written_there) {
    auto given = transfer_call();
    given.queue_db = "0";
    given.service_db = "1";
    redis.call({"LPUSH", "in", "a", "b", "c"});
    EXPECT_EQ(run(given)->tracked, 3);
    EXPECT_THAT(list("out1"), ElementsAre("c", "b", "a"));
    EXPECT_EQ(redis.call({"DBSIZE"}).whole, 2);
    redis.call({"SELECT", "1"});
    EXPECT_THAT(list("ns:message:ids"), ElementsAre("3", "2", "1"));
}

TEST_P(track, what_was_moved_elsewhere_is_tracked_here) {
    store::transfer_described_call away{
        .source = "in", .outs = {"out0"}, .max_count = 10, .max_bytes = 1000, .kept = true};
    redis.call({"LPUSH", "in", "5", "b"});
    auto moved = run(away);
    EXPECT_EQ(moved->moved, 2);
    EXPECT_THAT(moved->described, ElementsAre("5", "number", "5", sha1("b"), "sha1", "b"));
    store::track_call here{
        .keys = keys,
        .service = 1,
        .timeout = 10,
        .expire = 60,
        .capacity = 1000,
        .kept = true,
        .plan = to_text(plan()),
        .described = moved->described};
    auto tracked = run(here);
    EXPECT_EQ(tracked->tracked, 2);
    EXPECT_EQ(tracked->room, 998);
    EXPECT_THAT(list("ns:message:ids"), ElementsAre("2", "1"));
    EXPECT_EQ(hgetall("ns:message:xid:5")["id"], "1");
    EXPECT_EQ(redis.call({"GET", "ns:message:2:body"}).text, "b");
}

TEST_P(track, a_key_that_is_not_what_it_should_be_is_named_and_nothing_moves) {
    for (const auto* key :
         {"ns:message:id", "ns:message:tracked", "ns:message:ids", "ns:message:deadlines", "ns:message:retries"}) {
        SCOPED_TRACE(key);
        redis.call({"FLUSHALL"});
        redis.call({"LPUSH", "in", "a"});
        redis.call({"HSET", key, "field", "value"});
        auto before = redis.keyspace();
        auto refused = run(transfer_call());
        EXPECT_TRUE(refused.failed());
        EXPECT_THAT(refused.text, HasSubstr(std::string{"key="} + key));
        EXPECT_EQ(redis::classify(refused.text), redis::error_class::await_repair);
        EXPECT_EQ(redis.keyspace(), before);
    }
    redis.call({"FLUSHALL"});
    redis.call({"LPUSH", "in", "a"});
    for (const auto* odd : {"many", "007", "-1", "1.5", "", "123456789012345", "9223372036854775807"}) {
        redis.call({"SET", "ns:message:id", odd});
        EXPECT_TRUE(run(transfer_call()).failed()) << odd;
        EXPECT_EQ(redis.call({"LLEN", "in"}).whole, 1);
    }
}

TEST_P(track, a_missing_right_changes_nothing_and_is_named) {
    redis.call({"LPUSH", "in", "a"});
    auto before = redis.keyspace();
    for (const auto* command : {"-incrby", "-zadd", "-copy", "-hset", "-expire", "-set", "-del"}) {
        SCOPED_TRACE(command);
        redis.call({"ACL", "SETUSER", "bob", "reset", "on", ">secret", "~*", "+@all", command});
        auto bob = server.connect();
        ASSERT_FALSE(bob.call({"AUTH", "bob", "secret"}).failed());
        auto refused = run_call(bob, store::make_call(transfer_call()));
        EXPECT_TRUE(refused.failed());
        EXPECT_EQ(redis::classify(refused.text), redis::error_class::stop) << refused.text;
        EXPECT_EQ(redis.keyspace(), before);
    }
}

TEST_P(track, a_wrong_out_changes_nothing) {
    redis.call({"LPUSH", "in", "a"});
    redis.call({"SET", "out1", "text"});
    auto before = redis.keyspace();
    EXPECT_THAT(run(retried_call()).text, HasSubstr("key=out1"));
    EXPECT_EQ(redis.keyspace(), before);
}

LEAT_ON_BOTH_SERVERS(track);

} // namespace
} // namespace leat::tests
