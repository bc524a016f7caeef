#include "redis/digest.hpp"
#include "store/settlement.hpp"
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
    std::vector<hand::entry> places;
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
    std::vector<hand::entry> places;
    for (const auto* each : {"a", "b", "c", "d", "e", "f"}) {
        places.push_back(held.add(each, 1, now));
    }
    held.decide(places[1], verdict::done());
    held.decide(places[4], verdict::done());
    store::settle_call call{.keys = store::taking_keys{"in:pending"}};
    write_verdicts(held.choose(10, 1000), {}, 0, call);
    EXPECT_FALSE(call.oldest);
    EXPECT_EQ(call.sides, "rl");
}

TEST(hand, a_large_message_is_known_by_its_digest) {
    hand held;
    std::string large(store::large_message, 'x');
    auto a = held.add(large, 1, now);
    held.add("small", 1, now);
    auto unknown = held.reconcile({{"", 0, store::name_of_large(large)}, {"", 2, "of another"}, {"small", 0, ""}});
    ASSERT_EQ(unknown.size(), 1U);
    EXPECT_EQ(unknown.front().name, "of another");
    EXPECT_EQ(unknown.front().failures, 2);
    EXPECT_EQ(held.size(), 2U);
    held.decide(a, verdict::done({{.to = "out", .message = large}}));
    store::settle_call call{.keys = store::taking_keys{"in:pending"}};
    write_verdicts(held.choose(10, 1000), {}, 0, call);
    EXPECT_EQ(call.forms, "d");
    EXPECT_EQ(call.words, (std::vector<std::string>{store::name_of_large(large) + ":0", "=1"}))
        << "it does not travel at all";
}

TEST(hand, few_are_chosen_at_a_time_when_each_is_searched_for_in_a_large_hand) {
    hand held;
    std::vector<hand::entry> places;
    for (int i = 0; i < 10'000; ++i) {
        places.push_back(held.add(std::to_string(i), 1, now));
    }
    for (std::size_t i = 1; i <= 500; ++i) {
        held.decide(places[10 * i], verdict::done());
    }
    auto chosen = held.choose(1000, 1 << 20);
    ASSERT_EQ(chosen.which.size(), 100U);
    EXPECT_EQ(chosen.which.back()->message, "1000");
    for (std::size_t i = 0; i < 500; ++i) {
        if (!places[i]->decided) {
            held.decide(places[i], verdict::done());
        }
    }
    EXPECT_EQ(held.choose(500, 1 << 20).which.size(), 500U); // the oldest come off the end of the list
}

TEST(hand, after_a_reconnect_the_server_is_right) {
    hand held;
    auto a = held.add("a", 1, now);
    auto b = held.add("b", 1, now);
    held.add("b", 1, now);
    held.decide(a, verdict::done());
    auto unknown_of = [&held](const std::vector<std::string>& there) {
        std::vector<hand::seen> given;
        for (const auto& each : there) {
            given.push_back({each, 0, {}});
        }
        std::vector<std::string> unknown;
        for (auto& each : held.reconcile(std::move(given))) {
            unknown.push_back(each.message);
        }
        return unknown;
    };
    EXPECT_THAT(unknown_of({"x", "b", "y", "b"}), ElementsAre("x", "y"));
    EXPECT_EQ(held.size(), 2U); // a is another's
    EXPECT_EQ(held.decided(), 0U);
    EXPECT_THAT(unknown_of({"b"}), ElementsAre());
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

TEST(hand, what_goes_back_in_portions_keeps_its_order) {
    hand held;
    std::vector<hand::entry> places;
    for (const auto* each : {"1", "2", "3", "4", "5"}) {
        places.push_back(held.add(each, 1, now));
    }
    held.decide(places[0], verdict::done());
    for (std::size_t i = 1; i < 5; ++i) {
        held.decide(places[i], verdict::give_back());
    }
    auto first = held.choose(3, 1000);
    ASSERT_EQ(first.which.size(), 3U);
    EXPECT_EQ(first.which.front()->message, "3"); // pushed to the front of the queue, and before it then 2
    EXPECT_EQ(first.which.back()->message, "5");
    EXPECT_TRUE(first.more_goes_back) << "so nothing may be taken";
    EXPECT_EQ(held.going_back(), 4U);
    held.settled(first);
    EXPECT_EQ(held.going_back(), 1U);
    auto second = held.choose(3, 1000);
    EXPECT_EQ(second.which.size(), 2U);
    EXPECT_FALSE(second.more_goes_back);
    held.lose_all();
    EXPECT_EQ(held.going_back(), 0U);
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
    auto unmarked = verdict::give_back();
    unmarked.pushes = {{.to = "mark", .message = "m", .keep = -1}};
    held.decide(held.add("g", 1, now), std::move(unmarked));
    store::settle_call call{.keys = store::taking_keys{"in:pending"}};
    write_verdicts(held.choose(10, 1000), {.first = 2, .factor = 3, .max = 60, .jitter = 0}, 0, call);
    EXPECT_TRUE(call.oldest);
    EXPECT_EQ(call.verdicts, "dprbgbu");
    EXPECT_THAT(call.outs, ElementsAre("o1", "o2", "mark"));
    EXPECT_EQ(call.named, "smk");
    texts messages{"a", "b", "c", "d", "e", "f", "g"};
    EXPECT_EQ((texts{call.words.begin(), call.words.begin() + 7}), messages);
    texts of_b{"2", "1", "x", "2", "y"};
    texts of_c{"18000", "why", "3"};
    texts of_d{"0", "never", "1", ""};
    texts of_f{"1", "1", "z", "late", "2", "Timeout"};
    texts of_g{"1", "3", "-1:m"};
    texts all;
    for (const auto& each : {of_b, of_c, of_d, of_f, of_g}) {
        all.insert(all.end(), each.begin(), each.end());
    }
    EXPECT_EQ((texts{call.words.begin() + 7, call.words.end()}), all);
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
