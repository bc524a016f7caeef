#include "bridge/bridge_settings.hpp"
#include "config/reader.hpp"
#include "config/run_file.hpp"

#include <gmock/gmock.h>

#include <map>

namespace leat::bridge {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

struct reading {
    std::optional<bridge_settings> settings;
    std::string told;
};

reading read(const std::string& yaml, const std::map<std::string, std::string>& variables = {}) {
    config::problems found;
    auto env = [&variables](std::string_view name) -> std::optional<std::string> {
        auto at = variables.find(std::string{name});
        return at == variables.end() ? std::nullopt : std::optional{at->second};
    };
    auto map = config::read_text(yaml, "b.yaml", config::syntax::yaml, env, found);
    reading made;
    if (map) {
        config::apply_environment(*map, bridge_spec(), env, found, nullptr);
        made.settings = bridge_spec().read(*map, found);
    }
    for (const auto& each : found.all()) {
        made.told += to_string(each) + "\n";
    }
    return made;
}
std::string told(const std::string& yaml) {
    return read(yaml).told;
}

TEST(bridge_settings, the_defaults_are_those_of_the_original_but_for_the_database) {
    auto got = read("redis: redis://h\n");
    ASSERT_TRUE(got.settings) << got.told;
    EXPECT_EQ(got.told, "");
    const auto& made = *got.settings;
    EXPECT_EQ(made.database, "REDIS");
    auto rules = made.rules();
    EXPECT_EQ(rules.message_ttl, 10'000);
    EXPECT_EQ(rules.awaited_ttl, 900'000);
    EXPECT_EQ(rules.pending_ttl, 30'000);
    EXPECT_EQ(rules.margin, 5'000);
    EXPECT_EQ(rules.sent_ttl, 5'000);
    EXPECT_EQ(rules.retry_base, 30'000);
    EXPECT_EQ(rules.max_retries, 100);
    EXPECT_EQ(rules.retries_end, 5'000);
    EXPECT_EQ(made.queue().admitted(), 50);
    EXPECT_EQ(made.queue().longest(), 25s);
    EXPECT_EQ(made.queue().max_retries, 100);
    EXPECT_EQ(made.agent().interval, 20s);
    EXPECT_EQ(made.agent().by_turn, 15);
    EXPECT_EQ(made.agent().tick, 200ms);
    EXPECT_EQ(made.agent().idle, 1s);
}

// Every variable, with the member that it sets.
const std::map<std::string, std::int64_t bridge_settings::*> wholes{
    {"AWAITED_MESSAGE_TTL", &bridge_settings::awaited_message_ttl},
    {"AWAITED_MESSAGES_BY_TURN", &bridge_settings::awaited_messages_by_turn},
    {"AWAITED_MESSAGES_INTERVAL", &bridge_settings::awaited_messages_interval},
    {"AWAITED_TIME_WHEN_RETRIES_END", &bridge_settings::awaited_time_when_retries_end},
    {"CHECK_QUEUE_INTERVAL", &bridge_settings::check_queue_interval},
    {"CONCURRENT", &bridge_settings::concurrent},
    {"CONCURRENT_FACTOR", &bridge_settings::concurrent_factor},
    {"INTERVAL", &bridge_settings::interval},
    {"MAX_PENDING_TTL", &bridge_settings::max_pending_ttl},
    {"MAX_PENDING_TTL_MARGIN", &bridge_settings::max_pending_ttl_margin},
    {"MAX_RETRIES", &bridge_settings::max_retries},
    {"MESSAGE_TTL", &bridge_settings::message_ttl},
    {"SENT_MESSAGE_TTL", &bridge_settings::sent_message_ttl},
    {"METRICS_PARTIAL_INTERVAL", &bridge_settings::metrics_partial_interval},
};

TEST(bridge_settings, every_variable_of_the_original_sets_its_own_member) {
    for (const auto* prefix : {"AURA_QUEUE_MANAGER_", "AURA_QUEUE_QUEUE_MANAGER_"}) {
        for (const auto& [name, member] : wholes) {
            auto value = bridge_settings{}.*member + 1;
            auto got = read("database: REDIS\n", {{prefix + name, std::to_string(value)}});
            ASSERT_TRUE(got.settings) << name << "\n" << got.told;
            for (const auto& [other, its] : wholes) {
                EXPECT_EQ((*got.settings).*its, other == name ? value : bridge_settings{}.*its) << name << " " << other;
            }
        }
        auto got = read("database: REDIS\n", {{std::string{prefix} + "AWAITED_RETRIES_FACTOR", "1.5"}});
        EXPECT_EQ(got.settings.value().awaited_retries_factor, 1.5);
        EXPECT_EQ(got.settings->rules().retry_base, 45'000);
    }
    EXPECT_TRUE(
        read("database: REDIS\n", {{"AURA_LOGGING_EXTRA_TIME_METRICS", "true"}}).settings.value().extra_time_metrics);
}

TEST(bridge_settings, points_between_groups_of_three_are_left_out_with_a_warning) {
    for (const auto* yaml : {"awaitedMessageTtl: 1.800.000\n", "awaitedMessageTtl: '1.800.000'\n"}) {
        auto got = read(yaml);
        ASSERT_TRUE(got.settings) << got.told;
        EXPECT_EQ(got.settings->awaited_message_ttl, 1'800'000);
        EXPECT_THAT(got.told, HasSubstr("b.yaml:1:20: warning: awaitedMessageTtl: 1.800.000 is read as 1800000"));
    }
    EXPECT_EQ(read("awaitedMessageTtl: 900.000\n").settings.value().awaited_message_ttl, 900'000);
    for (const auto* each : {"900.0", "1234.000", "900.00", "1.0000", "12.34.567", "5."}) {
        auto got = read("messageTtl: " + std::string{each} + "\n");
        EXPECT_FALSE(got.settings) << each;
        EXPECT_THAT(got.told, HasSubstr("b.yaml:1:13: error: messageTtl: ")) << each;
    }
}

TEST(bridge_settings, mongodb_is_known_and_refused) {
    EXPECT_THAT(told("database: MONGODB\n"), HasSubstr("b.yaml:1:11: error: leat keeps conversations in Redis only"));
    EXPECT_THAT(told("database: mongo\n"), HasSubstr("b.yaml:1:11: error: "));
}

TEST(bridge_settings, times_have_their_relations) {
    struct {
        const char* yaml;
        const char* told;
    } cases[]{
        {"maxPendingTtlMargin: 30000\n", "error: maxPendingTtlMargin must be smaller than maxPendingTtl"},
        {"maxPendingTtlMargin: 29999\nmaxRetries: 1\ninterval: 1\n", "warning: maxRetries * interval"},
        {"awaitedMessageTtl: 30000\n", "error: awaitedMessageTtl must be larger than maxPendingTtl"},
        {"sentMessageTtl: 900001\n", "error: sentMessageTtl must not be larger than awaitedMessageTtl"},
        {"dedupTtl: 19999\n", "warning: dedupTtl (19999 ms) is smaller than lease (10 s) and ten seconds"},
        {"keepTtl: 899999\n", "error: keepTtl must not be smaller than awaitedMessageTtl"},
        {"keepTtl: 4499999\n", "warning: keepTtl (4499999 ms) is not an hour longer than awaitedMessageTtl"},
        {"maxRetries: 125\n", "warning: maxRetries * interval is not smaller"},
        {"messageTtl: 0\n", "b.yaml:1:13: error: "},
        {"messageTtl: 86400001\n", "b.yaml:1:13: error: "},
        {"concurrent: 100001\n", "b.yaml:1:13: error: "},
        {"awaitedRetriesFactor: 0\n", "b.yaml:1:23: error: "},
    };
    for (const auto& each : cases) {
        EXPECT_THAT(told(each.yaml), HasSubstr(each.told)) << each.yaml;
    }
    EXPECT_EQ(told("dedupTtl: 20000\nkeepTtl: 4500000\n"), "");
    EXPECT_EQ(told("maxRetries: 124\nawaitedMessageTtl: 30001\nsentMessageTtl: 30001\n"), "");
}

TEST(bridge_settings, queues_stay_out_of_each_others_keys) {
    for (const auto* each :
         {"in: bridge:queue:in\n", "answers: bridge:queue:x\n", "dead: bridge:queue:dead\n", "out: bridge:queue:o\n",
          "prefix: 'bridge:'\n", "prefix: 'bridge:out:'\n", "in: bridge:out:x\n", "answers: bridge:out:x\n",
          "answers: bridge:in\n", "dead: bridge:in\n", "out: bridge:in\n"}) {
        auto got = read(each);
        EXPECT_FALSE(got.settings) << each;
        EXPECT_THAT(got.told, HasSubstr("error: ")) << each;
    }
}

TEST(bridge_settings, the_first_pause_is_never_nothing) {
    auto got = read("maxPendingTtl: 2\nmaxPendingTtlMargin: 1\nawaitedRetriesFactor: 0.001\n");
    EXPECT_EQ(got.settings.value().rules().retry_base, 1);
}

TEST(bridge_settings, no_list_is_an_origins_or_among_the_keys) {
    EXPECT_THAT(told("dead: bridge:out:whatsapp"), HasSubstr("could be `dead`"));
    EXPECT_THAT(told("pending: bridge:out:x"), HasSubstr("could be `pending`"));
    EXPECT_THAT(told("pending: bridge:queue:x"), HasSubstr("among the keys of the bridge"));
    EXPECT_EQ(told("dead: bridge:dead"), "");
}

} // namespace
} // namespace leat::bridge
