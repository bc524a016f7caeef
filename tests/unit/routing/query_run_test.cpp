#include "routing/query_run.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

using redis::error_class;
using redis::node;
using testing::ElementsAre;
using testing::HasSubstr;

const query_rules rules{.prefixes = {"a:"}, .max_bytes = 1000, .max_answer = 1000};

query_run run_of(const std::string& commands) {
    return {plan_query(boost::json::parse(R"({"commands":)" + commands + "}"), rules).value(), rules};
}

redis::reply text(std::string content) {
    return {{{node::type::text, 0, std::move(content)}}};
}
const redis::reply null{{{node::type::null, 0, ""}}};

constexpr auto chain = R"([{"command":"get a:1","save":"section"},{"command":"hget a:$section x","save":"label"}])";

TEST(query_run, asks_round_by_round) {
    auto run = run_of(chain);
    auto first = run.next();
    ASSERT_EQ(first->size(), 1U);
    EXPECT_EQ(first->at(0).step, 0U);
    EXPECT_THAT(first->at(0).words, ElementsAre("get", "a:1"));
    EXPECT_TRUE(run.answered(0, text("it's \"news\" $x")));
    auto second = run.next();
    ASSERT_EQ(second->size(), 1U);
    EXPECT_THAT(second->at(0).words, ElementsAre("hget", "a:it's \"news\" $x", "x"));
    EXPECT_TRUE(run.answered(1, text("News")));
    EXPECT_TRUE(run.next()->empty());
    EXPECT_EQ(boost::json::serialize(run.result()), R"({"values":{"section":"it's \"news\" $x","label":"News"}})");
}

TEST(query_run, values_stand_in_the_order_of_the_commands) {
    auto run = run_of(R"([{"command":"get a:1","save":"z"},{"command":"get a:2"},{"command":"get a:3","save":"a"}])");
    EXPECT_EQ(run.next()->size(), 3U);
    EXPECT_TRUE(run.answered(2, {{{node::type::whole, 0, "-7"}}}));
    EXPECT_TRUE(run.answered(1, text("dropped")));
    EXPECT_TRUE(run.answered(0, null));
    EXPECT_EQ(boost::json::serialize(run.result()), R"({"values":{"z":null,"a":-7}})");
}

TEST(query_run, a_whole_number_can_be_part_of_a_command) {
    auto run = run_of(R"([{"command":"llen a:1","save":"n"},{"command":"get a:$n"}])");
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.answered(0, {{{node::type::whole, 0, "12"}}}));
    EXPECT_THAT(run.next()->at(0).words, ElementsAre("get", "a:12"));
}

TEST(query_run, null_cannot_be_asked_for) {
    auto run = run_of(chain);
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.answered(0, null));
    auto next = run.next();
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().name, "MissingValue");
    EXPECT_EQ(
        next.error().message, "commands[1] (save `label`): `$section` is null, so there is no `a:$section` to ask for");
}

TEST(query_run, neither_can_a_list) {
    auto run = run_of(chain);
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.answered(0, {{{node::type::group, 0, ""}, {node::type::text, 1, "x"}}}));
    auto next = run.next();
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().name, "BadQuery");
    EXPECT_THAT(next.error().message, HasSubstr("`$section` is a list or a map"));
}

TEST(query_run, keys_are_checked_when_the_value_is_known) {
    auto run = run_of(R"([{"command":"get a:1","save":"k"},{"command":"get $k"}])");
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.answered(0, text("b:1")));
    auto next = run.next();
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().name, "KeyNotAllowed");
    EXPECT_THAT(next.error().message, HasSubstr("the key `b:1`"));
}

TEST(query_run, so_are_counts) {
    auto run = run_of(R"([{"command":"get a:1","save":"n"},{"command":"srandmember a:2 $n"}])");
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.answered(0, text("-5")));
    EXPECT_THAT(run.next().error().message, HasSubstr("must not be negative"));
}

TEST(query_run, so_is_the_size_of_what_is_sent) {
    auto run = run_of(R"([{"command":"get a:1","save":"n"},{"command":"hmget a:2 $n$n $n"}])");
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.answered(0, text(std::string(400, 'x'))));
    EXPECT_EQ(run.next().error().name, "TooLarge");
}

TEST(query_run, an_answer_is_bounded) {
    auto run = run_of(R"([{"command":"get a:1","save":"x"},{"command":"get a:2","save":"y"}])");
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.answered(0, text(std::string(600, 'x'))));
    auto second = run.answered(1, text(std::string(600, 'x')));
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().name, "TooLarge");
}

TEST(query_run, a_reply_that_is_not_saved_counts_too) {
    auto run = run_of(R"([{"command":"get a:1","save":"x"},{"command":"get a:2"},{"command":"get a:3"}])");
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.answered(0, text(std::string(300, 'x'))));
    EXPECT_TRUE(run.answered(1, text(std::string(300, 'x'))));
    auto third = run.answered(2, text(std::string(600, 'x')));
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().name, "TooLarge");
    EXPECT_THAT(third.error().message, HasSubstr("commands[2]: up to here the replies are larger than maxAnswer"));
}

TEST(query_run, what_is_not_utf_8_is_base64) {
    auto run = run_of(R"([{"command":"get a:1","save":"x"},{"command":"get a:2","save":"y"}])");
    EXPECT_TRUE(run.next());
    EXPECT_TRUE(run.answered(0, text("\xff")));
    EXPECT_TRUE(run.answered(1, text("y")));
    EXPECT_EQ(boost::json::serialize(run.result()), R"({"values":{"x":"/w==","y":"y"},"encoding":{"x":"base64"}})");
}

TEST(query_run, an_error_of_redis_names_its_command) {
    auto run = run_of(chain);
    auto fault = run.failed(1, {error_class::await_repair, "WRONGTYPE Operation against \n"});
    EXPECT_EQ(fault.name, "RedisError");
    EXPECT_EQ(fault.message, "commands[1] (save `label`): WRONGTYPE Operation against \\x0a");
    EXPECT_EQ(run.failed(0, {error_class::stop, "NOPERM this user has no permissions"}).name, "NotAllowed");
}

TEST(query_run, what_passes_is_no_answer) {
    for (auto kind : {error_class::retry, error_class::find_server, error_class::pause_intake}) {
        EXPECT_TRUE(is_passing({kind, "LOADING"}));
    }
    EXPECT_TRUE(is_passing({error_class::stop, "NOAUTH Authentication required."}));
    EXPECT_FALSE(is_passing({error_class::stop, "NOPERM this user has no permissions"}));
    EXPECT_FALSE(is_passing({error_class::await_repair, "WRONGTYPE"}));
    EXPECT_FALSE(is_passing({error_class::await_repair, "ERR wrong number of arguments"}));
}

} // namespace
} // namespace leat::routing
