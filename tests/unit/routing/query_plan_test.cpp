#include "routing/query_plan.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using rounds = std::vector<std::vector<std::size_t>>;

const query_rules rules{.prefixes = {"a:", "long:prefix:"}, .allow = {"SET", "incr", "mset", "rename"}};

query_result<query_plan> plan(std::string_view query, const query_rules& by = rules) {
    return plan_query(boost::json::parse(query), by);
}

// Of one command that is all of a query.
query_result<query_plan> plan_one(const std::string& command, const std::string& parameters = "{}") {
    return plan(R"({"parameters":)" + parameters + R"(,"commands":[{"command":)" + command + R"(,"save":"v"}]})");
}

// `name: message`, or nothing.
std::string fault(const query_result<query_plan>& made) {
    return made ? "" : std::string{made.error().name} + ": " + made.error().message;
}

std::vector<std::string> words(const query_result<query_plan>& made, std::size_t step = 0) {
    std::vector<std::string> texts;
    for (const auto& each : made.value().steps.at(step).words) {
        texts.push_back(each.shown());
    }
    return texts;
}

TEST(plan_query, puts_parameters_into_their_arguments) {
    auto made = plan_one(R"("hget a:$id ${f}x$$")", R"({"id":12345,"f":"two words"})");
    EXPECT_THAT(words(made), ElementsAre("hget", "a:12345", "two wordsx$"));
    made = plan_one(R"(["hget", "a:$id", "'$f'"])", R"({"id":"'\" $f","f":"\u0000"})");
    EXPECT_THAT(words(made), ElementsAre("hget", "a:'\" $f", "'\\x00'")); // a value is no text to look for names in
}

TEST(plan_query, parameters_may_be_spelt_as_they_were_first) {
    EXPECT_THAT(
        words(plan(R"({"paramaters":{"id":7},"commands":[{"command":"get a:$id"}]})")), ElementsAre("get", "a:7"));
    EXPECT_THAT(
        fault(plan(R"({"paramaters":{},"parameters":{},"commands":[{"command":"get a:1"}]})")), HasSubstr("twice"));
}

TEST(plan_query, scalars_are_arguments) {
    auto argument = [](const std::string& value) {
        return words(plan_one(R"("get a:$p")", R"({"p":)" + value + "}"))[1];
    };
    EXPECT_EQ(argument("-5"), "a:-5");
    EXPECT_EQ(argument("18446744073709551615"), "a:18446744073709551615");
    EXPECT_EQ(argument("1.5"), "a:1.5");
    EXPECT_EQ(argument("1e5"), "a:100000");
    EXPECT_EQ(argument("-0.25"), "a:-0.25");
    EXPECT_EQ(argument("true"), "a:true");
    EXPECT_EQ(argument("false"), "a:false");
    EXPECT_EQ(argument(R"("")"), "a:");
    EXPECT_THAT(words(plan_one(R"(["lrange","a:1",0,-1])")), ElementsAre("lrange", "a:1", "0", "-1"));
}

TEST(plan_query, other_parameters_are_told) {
    for (const auto* each : {"null", "[1]", "{}"}) {
        EXPECT_THAT(
            fault(plan_one(R"("get a:1")", std::string{R"({"p":)"} + each + "}")),
            HasSubstr("BadQuery: the parameter `p` must be a text, a number, true or false"));
    }
    for (const auto* each : {"123456789012345678901234567890", "1e400", "-1e99"}) {
        EXPECT_THAT(
            fault(plan_one(R"("get a:1")", std::string{R"({"p":)"} + each + "}")), HasSubstr("send it as a text"));
    }
    EXPECT_THAT(fault(plan_one(R"("get a:1")", R"({"":1})")), HasSubstr("empty name"));
    EXPECT_THAT(fault(plan_one(R"("get a:1")", "[]")), HasSubstr("`parameters` must be a map"));
    EXPECT_EQ(fault(plan_one(R"("get a:1")", "null")), "");
}

TEST(plan_query, what_is_no_query_is_told) {
    for (const auto* each :
         {"1", "null", "[]", R"("text")", "{}", R"({"commands":{}})", R"({"commands":[]})",
          R"({"commands":"get a:1"})"}) {
        EXPECT_THAT(fault(plan(each)), HasSubstr("BadQuery: expected a JSON object with `commands`")) << each;
    }
    struct {
        const char* command;
        const char* told;
    } cases[]{
        {"1", "commands[0]: expected {command, save}"},
        {"{}", "commands[0]: `command` is missing"},
        {R"({"command":5})", "`command` must be a text"},
        {R"({"command":""})", "`command` is empty"},
        {R"({"command":[]})", "`command` is empty"},
        {R"({"command":["get",null]})", "`command` holds something that is no text"},
        {R"({"command":["get",["a:1"]]})", "`command` holds something that is no text"},
        {R"({"command":"get 'a:1"})", "is never closed"},
        {R"({"command":"get a:$"})", "followed by no name"},
        {R"({"command":"get a:1","save":1})", "`save` must be a name"},
        {R"({"command":"get a:1","save":""})", "`save` must be a name"},
        {R"({"command":"get a:1","sav":"x"})", "unknown key `sav`; did you mean save?"},
        {R"({"command":"get"})", "`get` needs a key"},
    };
    for (const auto& each : cases) {
        EXPECT_THAT(
            fault(plan(std::string{R"({"commands":[)"} + each.command + "]}")),
            testing::AllOf(HasSubstr("BadQuery: "), HasSubstr(each.told)))
            << each.command;
    }
}

TEST(plan_query, only_known_commands_are_allowed) {
    EXPECT_EQ(fault(plan_one(R"("GET a:1")")), "");
    EXPECT_EQ(fault(plan_one(R"("Set a:1 x")")), "");
    EXPECT_THAT(fault(plan_one(R"("flushall")")), HasSubstr("NotAllowed: commands[0] (save `v`): `flushall` is no"));
    EXPECT_THAT(fault(plan_one(R"("eval return 1 a:1")")), HasSubstr("NotAllowed: "));
    EXPECT_THAT(fault(plan_one(R"("hgte a:1 x")")), HasSubstr("did you mean hget?"));
    EXPECT_THAT(fault(plan_one(R"("del a:1")")), HasSubstr("NotAllowed: commands[0] (save `v`): `del` writes"));
    EXPECT_THAT(fault(plan_one(R"(["get a:1"])")), HasSubstr("NotAllowed: "));
    EXPECT_THAT(fault(plan_one(R"("''")")), HasSubstr("NotAllowed: "));
    EXPECT_THAT(fault(plan_one(R"("$c a:1")", R"({"c":"flushall"})")), HasSubstr("BadQuery: "));
}

TEST(plan_query, every_key_is_within_the_prefixes) {
    EXPECT_EQ(fault(plan_one(R"("mget a:1 long:prefix:2")")), "");
    EXPECT_THAT(fault(plan_one(R"("get b:1")")), HasSubstr("KeyNotAllowed: commands[0] (save `v`): the key `b:1`"));
    EXPECT_THAT(fault(plan_one(R"("mget a:1 a:2 b:3")")), HasSubstr("the key `b:3`"));
    EXPECT_THAT(fault(plan_one(R"("mset a:1 x b:2 y")")), HasSubstr("the key `b:2`"));
    EXPECT_EQ(fault(plan_one(R"("mset a:1 x a:2 b:3")")), "");
    EXPECT_THAT(fault(plan_one(R"("rename a:1 b:1")")), HasSubstr("the key `b:1`"));
    EXPECT_THAT(fault(plan_one(R"("get a")")), HasSubstr("KeyNotAllowed"));
    EXPECT_THAT(fault(plan_one(R"("get ''")")), HasSubstr("KeyNotAllowed"));
    EXPECT_THAT(fault(plan_one(R"("get $k")", R"({"k":"b:1"})")), HasSubstr("the key `b:1`"));
    EXPECT_EQ(fault(plan_one(R"("get $k")", R"({"k":"a:1"})")), "");
}

TEST(plan_query, a_key_that_needs_a_saved_value_is_refused_by_its_start) {
    auto second = [](const std::string& command) {
        return fault(
            plan(R"({"commands":[{"command":"get a:1","save":"s"},{"command":")" + command + R"(","save":"t"}]})"));
    };
    EXPECT_EQ(second("get a:$s"), "");
    EXPECT_EQ(second("get $s"), "");
    EXPECT_EQ(second("get long:$s"), "");
    EXPECT_EQ(second("hget a:1 $s"), "");
    EXPECT_THAT(second("get b:$s"), HasSubstr("KeyNotAllowed: commands[1] (save `t`): the key `b:$s`"));
    EXPECT_THAT(second("get long:prefiy$s"), HasSubstr("KeyNotAllowed"));
    EXPECT_THAT(second("hget b:1 $s"), HasSubstr("KeyNotAllowed"));
    EXPECT_THAT(second("hget long: $s"), HasSubstr("KeyNotAllowed"));
}

TEST(plan_query, names_that_have_no_value_are_told) {
    EXPECT_THAT(
        fault(plan_one(R"("get a:$articelId")", R"({"articleId":1})")),
        HasSubstr(
            "MissingParameter: commands[0] (save `v`): nothing before it gives `$articelId` a value; did you mean "
            "articleId?"));
    EXPECT_THAT(
        fault(plan(R"({"commands":[{"command":"get a:$b"},{"command":"get a:1","save":"b"}]})")),
        HasSubstr("MissingParameter: commands[0]"));
    EXPECT_THAT(fault(plan_one(R"("get a:$v")")), HasSubstr("MissingParameter"));
}

TEST(plan_query, a_name_is_given_once) {
    EXPECT_THAT(
        fault(plan(R"({"commands":[{"command":"get a:1","save":"x"},{"command":"get a:2","save":"x"}]})")),
        HasSubstr("BadQuery: commands[1] (save `x`): the name is taken"));
    EXPECT_THAT(fault(plan_one(R"("get a:1")", R"({"v":1})")), HasSubstr("the name is taken"));
}

TEST(plan_query, a_negative_count_is_refused) {
    EXPECT_EQ(fault(plan_one(R"("srandmember a:1 5")")), "");
    EXPECT_EQ(fault(plan_one(R"("srandmember a:1")")), "");
    EXPECT_THAT(fault(plan_one(R"("srandmember a:1 -1000000000")")), HasSubstr("must not be negative"));
    EXPECT_THAT(fault(plan_one(R"("zrandmember a:1 $n")", R"({"n":-1})")), HasSubstr("must not be negative"));
    EXPECT_EQ(fault(plan_one(R"("lrange a:1 0 -1")")), "");
}

TEST(plan_query, is_bounded) {
    auto few = rules;
    few.max_commands = 2;
    few.max_bytes = 100;
    const auto* three = R"({"commands":[{"command":"get a:1"},{"command":"get a:1"},{"command":"get a:1"}]})";
    EXPECT_EQ(fault(plan(three)), "");
    EXPECT_EQ(fault(plan(three, few)), "TooLarge: 3 commands are more than maxCommands, 2");
    auto grows = R"({"parameters":{"p":")" + std::string(40, 'x') + R"("},"commands":[{"command":"get a:$p$p$p"}]})";
    EXPECT_EQ(fault(plan(grows)), "");
    EXPECT_THAT(fault(plan(grows, few)), HasSubstr("TooLarge: commands[0]: up to here the commands send more than"));
}

TEST(plan_query, sends_together_what_needs_nothing_of_each_other) {
    EXPECT_EQ(
        plan(R"({"commands":[{"command":"get a:1","save":"x"},{"command":"get a:2","save":"y"},
                             {"command":"get a:$x","save":"z"},{"command":"get a:3"},
                             {"command":"hget a:$y $z"},{"command":"hget a:$x $y"}]})")
            ->rounds,
        (rounds{{0, 1, 3}, {2, 5}, {4}}));
}

TEST(plan_query, a_chain_is_a_round_for_each) {
    EXPECT_EQ(
        plan(R"({"commands":[{"command":"get a:1","save":"x"},{"command":"get a:$x","save":"y"},
                             {"command":"get a:$y","save":"z"}]})")
            ->rounds,
        (rounds{{0}, {1}, {2}}));
}

TEST(plan_query, what_writes_is_alone_between_what_is_before_and_after) {
    EXPECT_EQ(
        plan(R"({"commands":[{"command":"get a:1","save":"x"},{"command":"get a:$x"},{"command":"incr a:3"},
                             {"command":"incr a:4"},{"command":"get a:3"},{"command":"get a:$x"},
                             {"command":"set a:5 $x"}]})")
            ->rounds,
        (rounds{{0}, {1}, {2}, {3}, {4, 5}, {6}}));
    EXPECT_EQ(plan(R"({"commands":[{"command":"incr a:1"},{"command":"get a:1"}]})")->rounds, (rounds{{0}, {1}}));
}

} // namespace
} // namespace leat::routing
