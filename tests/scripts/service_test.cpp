#include "store/keys.hpp"
#include "store/service.hpp"
#include "support/script_case.hpp"

#include <gmock/gmock.h>

namespace leat::tests {
namespace {

using testing::HasSubstr;

class service_script : public testing::TestWithParam<std::string> {
protected:
    static store::register_service_call entering() {
        return {
            .keys = keys,
            .host = "eowyn",
            .pid = "7",
            .expire = 60,
            .kind = "mpush",
            .name = "orders",
            .version = "1",
            .queues = "a -> b",
            .roles = "{}",
            .server = "redis://here"};
    }

    answer_of<store::register_service_call> enter() { return run_verb(redis, entering()); }

    answer_of<store::renew_service_call> beat(
        const std::string& started, const std::string& renewed, const std::string& host = "eowyn") {
        store::renew_service_call given{
            .keys = keys,
            .host = host,
            .pid = "7",
            .id = 1,
            .started = started,
            .expire = 60,
            .renewed = renewed,
            .server = server_id};
        return run_verb(redis, std::move(given));
    }

    answer_of<store::end_service_call> leave(const std::string& started, const std::string& pid = "7") {
        store::end_service_call given{.keys = keys, .host = "eowyn", .pid = pid, .id = 1, .started = started};
        return run_verb(redis, std::move(given));
    }

    std::string started() { return redis.call({"HGET", "ns:service:1", "started"}).text; }

    static inline const store::service_keys keys{"ns"};
    std::string server_id; // that we wrote to
    private_server server{GetParam()};
    client redis = server.connect();
};

TEST_P(service_script, registers_with_the_documented_keys_and_nothing_else) {
    auto entered = enter();
    ASSERT_FALSE(entered.failed()) << entered.text;
    EXPECT_EQ(entered->id, 1);
    EXPECT_EQ(redis.call({"HKEYS", "ns:service:1"}).texts(), (std::vector<std::string>{"host", "pid", "started"}));
    EXPECT_EQ(redis.call({"TTL", "ns:service:1"}).whole, 60);
    EXPECT_EQ(redis.call({"TTL", "ns:service:1:info"}).whole, 60);
    EXPECT_EQ(redis.call({"LRANGE", "ns:service:ids", "0", "-1"}).texts(), (std::vector<std::string>{"1"}));
    EXPECT_EQ(redis.call({"GET", "ns:service:id"}).text, "1");
    EXPECT_EQ(redis.call({"HGETALL", "ns:metrics:start"}).texts(), (std::vector<std::string>{"count", "1"}));
    EXPECT_EQ(redis.call({"DBSIZE"}).whole, 6);
}

TEST_P(service_script, delists_the_dead_and_keeps_the_living) {
    redis.call({"RPUSH", "ns:service:ids", "9", "8", "7"});
    redis.call({"HSET", "ns:service:8", "host", "x"});
    redis.call({"SET", "ns:service:id", "9"});
    enter();
    EXPECT_EQ(redis.call({"LRANGE", "ns:service:ids", "0", "-1"}).texts(), (std::vector<std::string>{"10", "8"}));
}

TEST_P(service_script, a_hundred_thousand_ids_are_looked_at_in_parts) {
    redis.call(
        {"EVAL", R"(
for id = 2, 100001 do
    redis.call('LPUSH', 'ns:service:ids', id)
    if id % 10 > 0 then redis.call('HSET', 'ns:service:' .. id, 'host', 'x') end
end
)",
         "0"});
    redis.call({"CONFIG", "SET", "slowlog-log-slower-than", "10000"});
    redis.call({"CONFIG", "SET", "slowlog-max-len", "1000"});
    auto slow = [this] { return redis.call({"SLOWLOG", "LEN"}).whole; }; // also where the machine was busy with others
    redis.call({"SLOWLOG", "RESET"});
    EXPECT_EQ(enter()->listed, 100'000 - 50 + 1);
    redis.call({"SET", "ns:service:id", "200000"});
    for (int others = 1; others < 10; ++others) {
        EXPECT_EQ(enter()->listed, 100'000 - 50 * (others + 1) + others + 1);
    }
    EXPECT_LT(slow(), 6);
    redis.call({"SLOWLOG", "RESET"});
    int beats = 0;
    while (redis.call({"EXISTS", "ns:service:ids:seen"}).whole == 1 && beats < 1000) {
        EXPECT_EQ(beat(started(), "*")->state, store::heartbeat::renewed);
        ++beats;
    }
    EXPECT_EQ(beats, 191);
    EXPECT_LT(slow(), 20);
    auto ids = redis.call({"LRANGE", "ns:service:ids", "0", "-1"}).texts();
    EXPECT_EQ(ids.size(), 90'010U);
    for (std::size_t i = 10, id = 100'001; i < ids.size(); --id) {
        if (id % 10 > 0) {
            ASSERT_EQ(ids[i++], std::to_string(id)); // newest first, as ever
        }
    }
    EXPECT_EQ(ids[0], "200009");
    EXPECT_EQ(ids[9], "1");
}

TEST_P(service_script, a_list_of_ids_that_somebody_has_changed_costs_no_heartbeat) {
    enter();
    redis.call({"SET", "ns:service:ids:seen", "no number"});
    EXPECT_EQ(beat(started(), "*")->state, store::heartbeat::renewed);
    redis.call({"SET", "ns:service:ids:seen", "99999"});
    EXPECT_EQ(beat(started(), "*")->state, store::heartbeat::renewed);
    redis.call({"SET", "ns:service:ids:seen", "1"});
    redis.call({"DEL", "ns:service:ids"});
    EXPECT_EQ(beat(started(), "*")->state, store::heartbeat::renewed);
    redis.call({"SET", "ns:service:ids", "text"});
    EXPECT_EQ(beat(started(), "*")->state, store::heartbeat::renewed);
    redis.call({"DEL", "ns:service:ids:seen"});
    redis.call({"LPUSH", "ns:service:ids:seen", "text"});
    EXPECT_EQ(beat(started(), "*")->state, store::heartbeat::renewed);
}

TEST_P(service_script, a_wrong_type_is_refused_and_changes_nothing) {
    for (const auto* key : {"ns:service:id", "ns:service:ids", "leat:namespaces"}) {
        redis.call({"FLUSHALL"});
        redis.call({"HSET", key, "field", "value"});
        auto before = redis.keyspace();
        auto refused = enter();
        EXPECT_THAT(refused.text, HasSubstr("WRONGTYPE"));
        EXPECT_THAT(refused.text, HasSubstr(key));
        EXPECT_EQ(redis.keyspace(), before);
    }
}

TEST_P(service_script, a_key_that_is_there_is_left_as_it_is) {
    redis.call({"HSET", "ns:service:1", "host", "other"});
    EXPECT_EQ(enter()->state, store::entry::key_in_use);
    EXPECT_EQ(redis.call({"HGETALL", "ns:service:1"}).texts(), (std::vector<std::string>{"host", "other"}));
    EXPECT_EQ(redis.call({"EXISTS", "ns:service:ids"}).whole, 0);
}

TEST_P(service_script, the_heartbeat_renews_what_is_ours) {
    enter();
    redis.call({"EXPIRE", "ns:service:1", "5"});
    auto first = beat(started(), "");
    EXPECT_EQ(first->state, store::heartbeat::renewed);
    EXPECT_EQ(redis.call({"TTL", "ns:service:1"}).whole, 60);
    EXPECT_EQ(redis.call({"HGET", "ns:service:1", "renewed"}).text, std::to_string(first->now));
    EXPECT_EQ(beat(started(), std::to_string(first->now))->state, store::heartbeat::renewed);
    EXPECT_EQ(beat(started(), "*")->state, store::heartbeat::renewed);
}

TEST_P(service_script, the_heartbeat_never_brings_a_key_back) {
    enter();
    auto when = started();
    redis.call({"DEL", "ns:service:1"});
    auto answer = beat(when, "");
    EXPECT_EQ(answer->state, store::heartbeat::key_gone);
    EXPECT_EQ(answer->last_id, 1);
    EXPECT_EQ(redis.call({"EXISTS", "ns:service:1"}).whole, 0);
    redis.call({"FLUSHALL"});
    EXPECT_EQ(beat(when, "")->last_id, 0);
    EXPECT_EQ(redis.call({"DBSIZE"}).whole, 0);
}

TEST_P(service_script, the_heartbeat_leaves_what_is_another_s) {
    server_id = enter()->here.at(0);
    EXPECT_EQ(server_id.size(), 40U);
    auto before = redis.keyspace();
    EXPECT_EQ(beat(started(), "12345")->state, store::heartbeat::beaten_by_other);
    EXPECT_EQ(beat("1", "")->state, store::heartbeat::other_registration);
    EXPECT_EQ(beat(started(), "*", "other")->state, store::heartbeat::other_registration);
    EXPECT_EQ(redis.keyspace(), before);
}

TEST_P(service_script, tells_whether_another_is_alive) {
    EXPECT_FALSE(enter()->others);
    EXPECT_FALSE(beat(started(), "*")->others);
    redis.call({"SET", "ns:service:id", "11"});
    redis.call({"HSET", "ns:service:9", "host", "x"}); // not listed: the original trims living ones
    EXPECT_TRUE(beat(started(), "*")->others);
    EXPECT_TRUE(enter()->others);
    redis.call({"DEL", "ns:service:9", "ns:service:12"});
    EXPECT_FALSE(beat(started(), "*")->others);
}

TEST_P(service_script, a_server_that_forgot_the_last_beat_is_forgiven) {
    enter();
    server_id = std::string(40, '0');
    EXPECT_EQ(beat(started(), "12345")->state, store::heartbeat::renewed);
}

TEST_P(service_script, a_full_server_still_renews_and_ends) {
    enter();
    redis.call({"CONFIG", "SET", "maxmemory", "1"});
    EXPECT_EQ(beat(started(), "")->state, store::heartbeat::renewed);
    auto left = leave(started());
    EXPECT_EQ(left->del, 1);
    EXPECT_EQ(left->lrem, 1);
}

TEST_P(service_script, an_end_removes_only_what_is_ours) {
    enter();
    auto before = redis.keyspace();
    auto refused = leave(started(), "8");
    EXPECT_EQ(refused->del, 0);
    EXPECT_EQ(redis.keyspace(), before);
    auto left = leave(started());
    EXPECT_EQ(left->del, 1);
    EXPECT_EQ(left->lrem, 1);
    EXPECT_EQ(redis.call({"KEYS", "ns:service:1*"}).items.size(), 0U);
}

TEST_P(service_script, the_list_shows_the_newest_first_and_those_whose_key_is_gone) {
    enter();
    redis.call({"LPUSH", "ns:service:ids", "9"});
    auto seen = run_verb(redis, store::list_services_call{.keys = keys});
    EXPECT_GT(seen->now, 1'700'000'000);
    ASSERT_EQ(seen->rows.size(), 2U);
    EXPECT_EQ(seen->rows[0].id, "9");
    EXPECT_EQ(seen->rows[0].host, "") << "its key is gone";
    EXPECT_EQ(seen->rows[0].ttl, -2);
    auto ours = seen->rows[1];
    EXPECT_GT(ours.started, 1'700'000'000);
    ours.started = 0;
    store::service_row expected{
        .id = "1",
        .host = "eowyn",
        .pid = "7",
        .started = 0,
        .renewed = 0,
        .kind = "mpush",
        .name = "orders",
        .version = "1",
        .queues = "a -> b",
        .ttl = 60,
        .roles = "{}",
        .server = "redis://here"};
    EXPECT_EQ(ours, expected);
}

TEST_P(service_script, the_list_of_an_empty_namespace_is_empty) {
    auto seen = run_verb(redis, store::list_services_call{.keys = keys});
    EXPECT_TRUE(seen->rows.empty());
}

TEST_P(service_script, the_list_shows_the_newest_thousand) {
    for (int id = 1; id <= 1100; ++id) {
        redis.call({"LPUSH", "ns:service:ids", std::to_string(id)});
    }
    auto seen = run_call(redis, make_call(store::list_services_call{.keys = keys}));
    auto rows = seen.items.at(1).texts();
    ASSERT_EQ(rows.size(), 12'000U);
    EXPECT_EQ(rows.front(), "1100");
    EXPECT_EQ(rows[11'988], "101");
}

TEST_P(service_script, the_list_names_what_has_the_wrong_type) {
    redis.call({"SET", "ns:service:ids", "text"});
    auto seen = run_call(redis, make_call(store::list_services_call{.keys = keys}));
    EXPECT_THAT(seen.text, HasSubstr("WRONGTYPE"));
}

INSTANTIATE_TEST_SUITE_P(servers, service_script, testing::ValuesIn(server_flavours()), [](const auto& instance) {
    return instance.param;
});

} // namespace
} // namespace leat::tests
