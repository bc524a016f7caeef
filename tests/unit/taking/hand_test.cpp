#include "taking/hand.hpp"

#include <gmock/gmock.h>

namespace leat::taking {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;
using texts = std::vector<std::string>;

const hand::clock::time_point now{};

texts names(const hand::choice& chosen) {
    texts made;
    for (auto each : chosen.which) {
        made.push_back(each->message);
    }
    return made;
}

TEST(hand, holds_what_is_added_until_it_is_settled) {
    hand held;
    auto a = held.add("a", 1, now);
    held.add("bb", 1, now);
    EXPECT_EQ(held.size(), 2U);
    EXPECT_EQ(held.bytes(), 3U);
    EXPECT_TRUE(held.choose(10, 1000).which.empty());
    held.decide(a, verdict::done());
    auto chosen = held.choose(10, 1000);
    EXPECT_THAT(names(chosen), ElementsAre("a"));
    EXPECT_TRUE(chosen.oldest);
    EXPECT_EQ(held.size(), 2U); // until the call is known to have been done
    held.settled(chosen);
    EXPECT_EQ(held.size(), 1U);
    EXPECT_EQ(held.bytes(), 2U);
    EXPECT_EQ(held.decided(), 0U);
}

TEST(hand, what_is_chosen_is_in_order_and_says_whether_it_is_the_oldest) {
    hand held;
    std::vector<hand::place> places;
    for (const auto* each : {"a", "b", "c", "d"}) {
        places.push_back(held.add(each, 1, now));
    }
    held.decide(places[2], verdict::done());
    auto chosen = held.choose(10, 1000);
    EXPECT_FALSE(chosen.oldest);
    held.decide(places[0], verdict::done());
    held.decide(places[1], verdict::done());
    chosen = held.choose(10, 1000);
    EXPECT_THAT(names(chosen), ElementsAre("a", "b", "c"));
    EXPECT_TRUE(chosen.oldest);
    EXPECT_THAT(names(held.choose(2, 1000)), ElementsAre("a", "b"));
}

TEST(hand, what_is_to_be_pushed_counts_and_bounds_a_call) {
    hand held;
    for (int i = 0; i < 3; ++i) {
        held.decide(held.add("a", 1, now), verdict::done({{.to = "out", .message = std::string(99, 'x')}}));
    }
    EXPECT_EQ(held.bytes(), 300U);
    EXPECT_EQ(held.choose(10, 250).which.size(), 2U);
    EXPECT_EQ(held.choose(10, 1).which.size(), 1U);
    held.settled(held.choose(10, 250));
    EXPECT_EQ(held.bytes(), 100U);
    held.lose_all();
    EXPECT_EQ(held.bytes(), 0U);
}

TEST(hand, says_on_which_side_a_message_is) {
    hand held;
    std::vector<hand::place> places;
    for (const auto* each : {"a", "b", "c", "d", "e", "f"}) {
        places.push_back(held.add(each, 1, now));
    }
    held.decide(places[1], verdict::done());
    held.decide(places[4], verdict::done());
    store::scripts::settle_call call;
    write_verdicts(held.choose(10, 1000), {}, 0, call);
    EXPECT_EQ(call.oldest, 0);
    EXPECT_EQ(call.sides, "rl");
}

TEST(hand, after_a_reconnect_the_server_is_right) {
    hand held;
    auto a = held.add("a", 1, now);
    auto b = held.add("b", 1, now);
    held.add("b", 1, now);
    held.decide(a, verdict::done());
    EXPECT_THAT(held.reconcile({"x", "b", "y", "b"}), ElementsAre("x", "y"));
    EXPECT_EQ(held.size(), 2U); // a is another's
    EXPECT_EQ(held.decided(), 0U);
    EXPECT_THAT(held.reconcile({"b"}), ElementsAre());
    EXPECT_EQ(held.size(), 1U);
    held.decide(b, verdict::done());
    EXPECT_EQ(held.decided(), b->lost ? 0U : 1U);
}

TEST(hand, what_is_decided_of_what_is_lost_is_of_no_account) {
    hand held;
    auto a = held.add("a", 1, now);
    auto b = held.add("b", 1, now);
    held.decide(a, verdict::done());
    held.lose_all();
    EXPECT_TRUE(held.empty());
    EXPECT_EQ(held.bytes(), 0U);
    EXPECT_EQ(held.undecided(), 1U); // somebody still works at it
    held.decide(b, verdict::done());
    EXPECT_EQ(held.undecided(), 0U);
    EXPECT_EQ(held.decided(), 0U);
}

TEST(hand, verdicts_are_letters_and_words) {
    hand held;
    held.decide(held.add("a", 1, now), verdict::done());
    held.decide(
        held.add("b", 1, now),
        verdict::done({{.to = "o1", .message = "x"}, {.to = "o2", .message = "y", .by_message = true}}));
    held.decide(held.add("c", 3, now), verdict::again("why"));
    held.decide(held.add("d", 1, now), verdict::dead("never"));
    held.decide(held.add("e", 1, now), verdict::give_back());
    auto named = verdict::dead("late");
    named.name = "Timeout";
    named.pushes = {{.to = "o1", .message = "z"}};
    held.decide(held.add("f", 2, now), std::move(named));
    store::scripts::settle_call call;
    write_verdicts(held.choose(10, 1000), {.first = 2, .factor = 3, .max = 60, .jitter = 0}, 0, call);
    EXPECT_EQ(call.oldest, 1);
    EXPECT_EQ(call.verdicts, "dprbgb");
    EXPECT_THAT(call.outs, ElementsAre("o1", "o2"));
    EXPECT_EQ(call.named, "sm");
    texts messages{"a", "b", "c", "d", "e", "f"};
    EXPECT_EQ((texts{call.words.begin(), call.words.begin() + 6}), messages);
    texts of_b{"2", "1", "x", "2", "y"};
    texts of_c{"18000", "why", "3"};
    texts of_d{"0", "never", "1", ""};
    texts of_f{"1", "1", "z", "late", "2", "Timeout"};
    texts all;
    for (const auto& each : {of_b, of_c, of_d, of_f}) {
        all.insert(all.end(), each.begin(), each.end());
    }
    EXPECT_EQ((texts{call.words.begin() + 6, call.words.end()}), all);
}

TEST(hand, times_are_told_by_tenths_of_what_is_allowed) {
    hand held;
    held.decide(held.add("a", 1, now), verdict::done());
    held.decide(held.add("b", 1, now + 5s), verdict::done());
    held.decide(held.add("c", 1, now), verdict::again("not counted"));
    EXPECT_EQ(write_times(held.choose(10, 1000), now + 9s, 10s), "13 9 0 0 0 0 1 0 0 0 0 1 0");
}

TEST(pauses, grow_to_a_limit_and_shrink_by_chance) {
    runtime::pauses how{.first = 1, .factor = 2, .max = 5, .jitter = 0.5};
    EXPECT_EQ(runtime::pause_after(how, 1, 0), 1000ms);
    EXPECT_EQ(runtime::pause_after(how, 2, 0), 2000ms);
    EXPECT_EQ(runtime::pause_after(how, 4, 0), 5000ms);
    EXPECT_EQ(runtime::pause_after(how, 4000, 1), 2500ms);
    EXPECT_EQ(runtime::pause_after({.first = 0, .factor = 2, .max = 5, .jitter = 0}, 3, 0), 0ms);
}

} // namespace
} // namespace leat::taking
