// That no call of a consumer reads more than it needs: messages may be large, and many.
#include "scripts/taking_case.hpp"

namespace leat::tests {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

class bounded_call : public taking_case {};

// What the scripts of a server have in their memory, the garbage of the last calls with it.
std::int64_t memory_of_scripts(client& redis) {
    auto text = redis.call({"INFO", "memory"}).text;
    std::string field = "used_memory_lua:";
    return std::stoll(text.substr(text.find(field) + field.size()));
}

TEST_P(bounded_call, large_messages_that_are_due_together_come_back_in_parts) {
    for (int i = 100; i < 160; ++i) {
        auto number = std::to_string(i);
        redis.call({"ZADD", keys.delayed(), number, "1-1-" + number + ":" + number + std::string(1'000'000, 'x')});
    }
    store::forward_call forward{.keys = keys, .source = "in", .max_count = 500};
    auto forwarded = run(forward)->forwarded;
    EXPECT_THAT(forwarded, AllOf(Ge(1), Le(8)));
    EXPECT_LT(memory_of_scripts(redis), 30'000'000);
    while (forwarded < 60) {
        forwarded += run(forward)->forwarded;
    }
    EXPECT_EQ(forwarded, 60);
    EXPECT_FALSE(redis.call({"EXISTS", keys.delayed()}).whole);
    EXPECT_EQ(redis.call({"LLEN", "in"}).whole, 60);
}

TEST_P(bounded_call, a_large_message_that_waits_is_not_read_by_every_call) {
    std::string large = "1-1-1:";
    large.resize(30'000'000, 'x');
    redis.call({"ZADD", keys.delayed(), std::to_string(now + 3'000'000), large});
    push({"1"});
    auto me = open();
    EXPECT_THAT(take(me).next_delayed(), AllOf(Ge(750'000), Le(3'000'000)));
    EXPECT_LT(memory_of_scripts(redis), 10'000'000);
}

TEST_P(bounded_call, a_large_message_among_the_newest_in_flight_is_found_at_once) {
    auto me = open();
    redis.call(
        {"EVAL",
         "local text = string.rep('x', 70000) for i = 1000, 1499 do redis.call('LPUSH', KEYS[1], i .. text) end", "1",
         keys.hand(1)});
    store::find_held_call find{.keys = keys, .id = 1, .token = "secret"};
    auto looks_for = [&](int which) {
        auto text = std::to_string(which) + std::string(70'000, 'x');
        find.held = store::name_of_large(text);
        redis.call({"CONFIG", "RESETSTAT"});
        EXPECT_EQ(run(find)->message, (texts{text}));
        auto stats = redis.call({"INFO", "commandstats"}).text;
        auto at = stats.find("cmdstat_lindex:calls=");
        return std::stoll(stats.substr(at + 21));
    };
    EXPECT_LE(looks_for(1499), 2);
    EXPECT_LE(looks_for(1490), 20);
    EXPECT_LE(looks_for(1000), 2);
    EXPECT_LE(looks_for(1250), 500);
}

INSTANTIATE_TEST_SUITE_P(servers, bounded_call, testing::ValuesIn(server_flavours()));

} // namespace
} // namespace leat::tests
