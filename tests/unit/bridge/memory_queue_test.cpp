#include "bridge/memory_queue.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace leat::bridge {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using namespace std::chrono_literals;
using type = memory_queue::order_type;
using texts = std::vector<std::string>;

// Names are conversation and number: "a1" is the first response of the conversation a.
class queue_of_tasks : public testing::Test {
protected:
    queue_of_tasks() {
        rules.concurrent = 2;
        rules.factor = 2;
        rules.max_retries = 3;
    }

    void add(const std::string& name, bool claimed = false, std::chrono::milliseconds waits = 0ms) {
        memory_queue::task made;
        made.ids = {"r-" + name, name, name.substr(0, 1)};
        made.waits = waits;
        if (claimed) {
            made.claim = store::bridge_claim{.ids = made.ids, .token = ++tokens};
        }
        queue().enqueue(std::move(made), now);
    }
    void claim(const std::string& name) { add(name, true); }

    // What is to be done now, as "send a1".
    texts orders() {
        static const std::map<type, std::string> names{
            {type::send, "send"}, {type::validate, "validate"}, {type::await, "await"}, {type::let_go, "let_go"}};
        texts made;
        for (auto each : queue().next(now)) {
            const auto& name = queue().at(each.id).ids.response_id;
            ids[name] = each.id;
            made.push_back(names.at(each.is) + " " + name);
        }
        return made;
    }
    void finish(const std::string& name) { queue().finished(ids.at(name), now); }
    void block(const std::string& name, std::chrono::milliseconds waits = 0ms) {
        queue().blocked(ids.at(name), waits, now);
    }
    memory_queue& queue() {
        if (!made_) {
            made_.emplace(rules);
        }
        return *made_;
    }

    queue_rules rules;
    memory_queue::clock::time_point now{1h};
    std::map<std::string, memory_queue::task_id> ids;
    std::int64_t tokens = 0;

private:
    std::optional<memory_queue> made_;
};

TEST_F(queue_of_tasks, an_empty_one_has_nothing_to_do) {
    EXPECT_THAT(orders(), IsEmpty());
    EXPECT_EQ(queue().room(), 4);
    EXPECT_FALSE(queue().active(now));
    EXPECT_FALSE(queue().next_look(now));
}

TEST_F(queue_of_tasks, of_each_conversation_only_the_first_is_selected) {
    for (const auto* each : {"a1", "a2", "b1", "a3", "b2"}) {
        add(each);
    }
    EXPECT_THAT(orders(), UnorderedElementsAre("validate a1", "validate b1"));
    EXPECT_EQ(queue().size(), 5U);
    EXPECT_EQ(queue().selected(), 2U);
    finish("a1");
    EXPECT_THAT(orders(), ElementsAre("validate a2"));
    finish("b1");
    finish("a2");
    EXPECT_THAT(orders(), UnorderedElementsAre("validate a3", "validate b2"));
}

TEST_F(queue_of_tasks, at_most_concurrent_times_factor_are_selected) {
    for (const auto* each : {"a1", "b1", "c1", "d1", "e1", "f1"}) {
        add(each);
    }
    EXPECT_THAT(orders(), UnorderedElementsAre("validate a1", "validate b1", "validate c1", "validate d1"));
    EXPECT_EQ(queue().room(), 0);
    EXPECT_THAT(orders(), IsEmpty());
    finish("c1");
    EXPECT_EQ(queue().room(), 1);
    EXPECT_THAT(orders(), ElementsAre("validate e1")) << "who waits longest is next";
    finish("a1");
    EXPECT_THAT(orders(), ElementsAre("validate f1"));
}

TEST_F(queue_of_tasks, at_most_concurrent_are_sent_at_a_time_in_the_order_of_their_claims) {
    for (const auto* each : {"c1", "a1", "d1", "b1"}) {
        claim(each);
    }
    EXPECT_THAT(orders(), ElementsAre("send c1", "send a1"));
    EXPECT_EQ(queue().running(), 2U);
    EXPECT_THAT(orders(), IsEmpty());
    finish("a1");
    EXPECT_THAT(orders(), ElementsAre("send d1"));
    finish("c1");
    finish("d1");
    EXPECT_THAT(orders(), ElementsAre("send b1"));
    finish("b1");
    EXPECT_EQ(queue().size(), 0U);
    EXPECT_EQ(queue().running(), 0U);
    EXPECT_EQ(queue().room(), 4);
}

TEST_F(queue_of_tasks, what_is_claimed_comes_before_what_is_only_here) {
    add("a1", false, 1s);
    claim("b1");
    add("c1");
    EXPECT_THAT(orders(), ElementsAre("send b1", "validate c1"));
}

TEST_F(queue_of_tasks, claims_count_against_the_room) {
    for (const auto* each : {"a1", "b1", "c1"}) {
        claim(each);
    }
    EXPECT_EQ(queue().room(), 1);
    add("d1");
    add("e1");
    EXPECT_THAT(orders(), ElementsAre("send a1", "send b1", "validate d1"));
    EXPECT_EQ(queue().room(), 0);
    finish("a1");
    EXPECT_THAT(orders(), ElementsAre("send c1", "validate e1"));
}

TEST_F(queue_of_tasks, a_task_that_is_here_gets_its_claim) {
    add("a1", false, 10s);
    EXPECT_THAT(orders(), IsEmpty());
    claim("a1");
    EXPECT_EQ(queue().size(), 1U);
    EXPECT_THAT(orders(), ElementsAre("send a1"));
    EXPECT_EQ(queue().at(ids["a1"]).claim->token, 1);
    EXPECT_EQ(queue().selected(), 1U);
}

TEST_F(queue_of_tasks, a_task_gets_its_claim_while_it_is_being_validated) {
    add("a1");
    EXPECT_THAT(orders(), ElementsAre("validate a1"));
    EXPECT_FALSE(queue().holds_claim(ids["a1"]));
    claim("a1");
    EXPECT_TRUE(queue().holds_claim(ids["a1"]));
    block("a1"); // the answer of the validation comes behind
    EXPECT_THAT(orders(), ElementsAre("send a1"));
    block("a1");
    EXPECT_EQ(queue().running(), 1U);
    finish("a1");
    EXPECT_EQ(queue().selected(), 0U);
    EXPECT_FALSE(queue().holds_claim(ids["a1"]));
}

TEST_F(queue_of_tasks, a_claim_of_a_later_one_goes_before_the_first_that_is_here) {
    add("a1", false, 1s); // over elsewhere
    add("a2", false, 1s);
    EXPECT_THAT(orders(), IsEmpty());
    claim("a2");
    EXPECT_THAT(orders(), ElementsAre("send a2"));
    now += 1s;
    EXPECT_THAT(orders(), IsEmpty()) << "one of a conversation at a time";
    finish("a2");
    EXPECT_THAT(orders(), ElementsAre("validate a1"));
    finish("a1");
    EXPECT_EQ(queue().selected(), 0U);
}

TEST_F(queue_of_tasks, a_claim_of_a_later_one_voids_that_of_the_first) {
    for (const auto* each : {"x1", "y1", "a1"}) {
        claim(each);
    }
    EXPECT_THAT(orders(), ElementsAre("send x1", "send y1"));
    claim("a2"); // so a1 is over elsewhere: it must not be sent
    finish("x1");
    EXPECT_THAT(orders(), ElementsAre("send a2"));
    finish("a2");
    EXPECT_THAT(orders(), ElementsAre("validate a1"));
    EXPECT_FALSE(queue().holds_claim(ids["a1"]));
    finish("a1");
    finish("y1");
    EXPECT_EQ(queue().selected(), 0U);
}

TEST_F(queue_of_tasks, a_claim_for_what_waits_in_the_main_queue) {
    for (const auto* each : {"a1", "b1", "c1", "d1"}) {
        add(each, false, 1s);
    }
    add("e1");
    EXPECT_THAT(orders(), IsEmpty());
    claim("e1"); // it was asked for before the queue was full
    EXPECT_THAT(orders(), ElementsAre("send e1"));
    EXPECT_EQ(queue().selected(), 5U);
    EXPECT_EQ(queue().room(), 0);
    finish("e1");
    EXPECT_EQ(queue().selected(), 4U);
}

TEST_F(queue_of_tasks, a_second_claim_of_what_is_being_sent_is_of_no_account) {
    claim("a1");
    EXPECT_THAT(orders(), ElementsAre("send a1"));
    claim("a1");
    EXPECT_EQ(queue().at(ids["a1"]).claim->token, 1) << "what is on its way has the old fence";
    EXPECT_THAT(orders(), IsEmpty());
    EXPECT_EQ(queue().running(), 1U);
    finish("a1");
    EXPECT_EQ(queue().size(), 0U);
    EXPECT_THAT(orders(), IsEmpty());
}

TEST_F(queue_of_tasks, a_second_claim_of_what_waits_to_be_sent_replaces_the_first) {
    for (const auto* each : {"a1", "b1", "c1", "c1"}) {
        claim(each);
    }
    EXPECT_EQ(queue().selected(), 3U);
    EXPECT_THAT(orders(), ElementsAre("send a1", "send b1"));
    finish("a1");
    finish("b1");
    EXPECT_THAT(orders(), ElementsAre("send c1"));
    EXPECT_EQ(queue().at(ids["c1"]).claim->token, 4);
}

TEST_F(queue_of_tasks, the_same_response_twice_is_there_once) {
    add("a1");
    add("a1");
    EXPECT_EQ(queue().size(), 1U);
    EXPECT_THAT(orders(), ElementsAre("validate a1"));
    EXPECT_THAT(orders(), IsEmpty());
}

TEST_F(queue_of_tasks, after_max_retries_validations_it_is_handed_over) {
    queue().hear(false);
    add("a1");
    for (int i = 0; i < 3; ++i) {
        EXPECT_THAT(orders(), ElementsAre("validate a1")) << i;
        block("a1", 10s);
        EXPECT_THAT(orders(), IsEmpty());
        now += rules.interval;
    }
    EXPECT_THAT(orders(), ElementsAre("await a1"));
    EXPECT_THAT(orders(), IsEmpty());
    finish("a1");
    EXPECT_EQ(queue().size(), 0U);
}

TEST_F(queue_of_tasks, without_signs_a_blocked_one_is_looked_at_with_every_tick) {
    queue().hear(false);
    add("a1");
    orders();
    block("a1", 10s);
    EXPECT_EQ(queue().next_look(now), now + rules.interval);
    now += rules.interval - 1ms;
    EXPECT_THAT(orders(), IsEmpty());
    now += 1ms;
    EXPECT_THAT(orders(), ElementsAre("validate a1"));
}

TEST_F(queue_of_tasks, with_signs_it_is_looked_at_when_its_wait_is_over) {
    add("a1");
    orders();
    block("a1", 10s);
    EXPECT_EQ(queue().next_look(now), now + 10s);
    now += 9'999ms;
    EXPECT_THAT(orders(), IsEmpty());
    now += 1ms;
    EXPECT_THAT(orders(), ElementsAre("validate a1"));
    block("a1", 1ms);
    EXPECT_EQ(queue().next_look(now), now + rules.interval) << "never more often than the tick";
}

TEST_F(queue_of_tasks, what_is_told_to_wait_waits_from_the_start) {
    add("a1", false, 3s);
    EXPECT_THAT(orders(), IsEmpty());
    EXPECT_EQ(queue().next_look(now), now + 3s);
    now += 3s;
    EXPECT_THAT(orders(), ElementsAre("validate a1"));
}

TEST_F(queue_of_tasks, a_sign_has_it_looked_at_at_once) {
    add("a1", false, 10s);
    add("a2", false, 10s);
    EXPECT_THAT(orders(), IsEmpty());
    queue().wake("a");
    EXPECT_THAT(orders(), ElementsAre("validate a1"));
    queue().wake("a"); // while it is being validated
    EXPECT_THAT(orders(), IsEmpty());
    block("a1", 10s);
    queue().wake("nobody");
    EXPECT_THAT(orders(), IsEmpty());
    queue().wake("a");
    EXPECT_THAT(orders(), ElementsAre("validate a1"));
}

TEST_F(queue_of_tasks, a_sign_is_nothing_to_what_is_claimed) {
    for (const auto* each : {"a1", "b1", "c1"}) {
        claim(each);
    }
    orders();
    queue().wake("c");
    EXPECT_THAT(orders(), IsEmpty());
    finish("a1");
    EXPECT_THAT(orders(), ElementsAre("send c1"));
}

TEST_F(queue_of_tasks, what_is_here_for_too_long_is_let_go) {
    add("a1", false, 1h);
    EXPECT_THAT(orders(), IsEmpty());
    EXPECT_EQ(queue().next_look(now), now + 25s) << "MAX_PENDING_TTL - MARGIN";
    now += 25s - 1ms;
    EXPECT_THAT(orders(), IsEmpty());
    now += 1ms;
    EXPECT_THAT(orders(), ElementsAre("let_go a1"));
    EXPECT_THAT(orders(), IsEmpty());
    finish("a1");
    EXPECT_EQ(queue().size(), 0U);
    EXPECT_EQ(queue().selected(), 0U);
}

TEST_F(queue_of_tasks, also_from_the_main_queue_where_nobody_has_looked_at_it) {
    add("a1", false, 1h);
    orders();
    now += 1s;
    add("a2", false, 1h);
    now += 24s;
    EXPECT_THAT(orders(), ElementsAre("let_go a1"));
    finish("a1");
    now += 1s;
    EXPECT_THAT(orders(), ElementsAre("let_go a2"));
    finish("a2");
    EXPECT_EQ(queue().selected(), 0U);
    EXPECT_EQ(queue().room(), 4);
}

TEST_F(queue_of_tasks, what_is_let_go_as_it_becomes_the_first_is_not_validated_as_well) {
    claim("a1");
    EXPECT_THAT(orders(), ElementsAre("send a1"));
    add("a2");
    add("a3", false, 1s);
    now += 25s;
    finish("a1");
    EXPECT_THAT(orders(), UnorderedElementsAre("let_go a2", "let_go a3"));
    finish("a2");
    add("a4");
    finish("a3");
    EXPECT_THAT(orders(), ElementsAre("validate a4"));
    finish("a4");
    EXPECT_EQ(queue().selected(), 0U);
    EXPECT_EQ(queue().room(), 4);
}

TEST_F(queue_of_tasks, a_claim_that_had_no_turn_in_time_is_let_go) {
    for (const auto* each : {"a1", "b1", "c1"}) {
        claim(each);
    }
    EXPECT_THAT(orders(), ElementsAre("send a1", "send b1"));
    now += 25s;
    EXPECT_THAT(orders(), ElementsAre("let_go c1")) << "whoever sends has a deadline of its own";
    finish("c1");
    finish("a1");
    EXPECT_THAT(orders(), IsEmpty());
}

TEST_F(queue_of_tasks, a_claim_counts_anew) {
    add("a1", false, 1h);
    orders();
    now += 20s;
    claim("a1");
    EXPECT_THAT(orders(), ElementsAre("send a1"));
    EXPECT_EQ(queue().deadline(ids["a1"]), now + 25s);
}

TEST_F(queue_of_tasks, a_task_may_ask_for_a_shorter_time_and_never_gets_a_longer) {
    for (auto [asked, given] : {std::pair{3s, 3s}, std::pair{40s, 25s}, std::pair{0s, 25s}}) {
        memory_queue own{rules};
        memory_queue::task made;
        made.ids = {"r", "x", "a"};
        made.waits = 1h;
        made.time_in_queue = asked;
        own.enqueue(std::move(made), now);
        own.next(now);
        EXPECT_EQ(own.next_look(now), now + given);
    }
}

TEST_F(queue_of_tasks, it_is_let_go_behind_a_validation_that_took_too_long) {
    add("a1");
    EXPECT_THAT(orders(), ElementsAre("validate a1"));
    now += 26s;
    EXPECT_THAT(orders(), IsEmpty());
    block("a1", 10s);
    EXPECT_THAT(orders(), ElementsAre("let_go a1"));
}

TEST_F(queue_of_tasks, it_is_idle_a_while_after_the_last_is_gone) {
    add("a1");
    EXPECT_TRUE(queue().active(now));
    orders();
    now += 5s;
    EXPECT_TRUE(queue().active(now));
    finish("a1");
    EXPECT_TRUE(queue().active(now));
    EXPECT_EQ(queue().next_look(now), now + rules.check_interval);
    now += rules.check_interval - 1ms;
    EXPECT_TRUE(queue().active(now));
    now += 1ms;
    EXPECT_FALSE(queue().active(now));
    EXPECT_FALSE(queue().next_look(now));
    add("b1");
    EXPECT_TRUE(queue().active(now)) << "the next message activates it again";
}

TEST_F(queue_of_tasks, whatever_order_they_end_in_nothing_is_left) {
    rules.concurrent = 3;
    for (int round = 0; round < 24; ++round) {
        texts names{"a1", "a2", "b1", "c1"};
        for (int i = 0; i < round; ++i) {
            std::next_permutation(names.begin(), names.end());
        }
        claim("a1");
        add("a2", false, 1s);
        claim("b1");
        add("c1");
        texts ended;
        while (queue().size() > 0) {
            orders();
            for (const auto& each : names) {
                if (ids.contains(each)) {
                    finish(each);
                    ids.erase(each);
                    ended.push_back(each);
                }
            }
            now += 1s;
        }
        EXPECT_THAT(ended, UnorderedElementsAre("a1", "a2", "b1", "c1"));
        EXPECT_EQ(queue().selected(), 0U);
        EXPECT_EQ(queue().running(), 0U);
        EXPECT_EQ(queue().room(), 6);
    }
}

// As the manager does it, with answers and claims at any time.
TEST_F(queue_of_tasks, whatever_happens_nothing_is_left_and_all_is_counted) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        memory_queue own{rules};
        std::mt19937 random{seed};
        auto any = [&random](unsigned below) { return static_cast<unsigned>(random() % below); };
        std::vector<memory_queue::order> open; // not answered yet
        auto add_any = [&] {
            memory_queue::task made;
            auto name = std::string(1, static_cast<char>('a' + any(6)));
            made.ids = {"r", name + std::to_string(any(4)), name};
            made.waits = std::chrono::milliseconds{any(2000)};
            if (any(3) == 0) {
                made.claim = store::bridge_claim{.ids = made.ids};
            }
            own.enqueue(std::move(made), now);
            own.hear(any(2) == 0);
            own.wake(name);
        };
        auto answer = [&](memory_queue::order each) {
            if (each.is != type::send && own.holds_claim(each.id)) {
                return; // it has come with its claim
            }
            if (each.is == type::validate && any(2) == 0) {
                own.blocked(each.id, std::chrono::milliseconds{any(5000)}, now);
            } else {
                own.finished(each.id, now);
            }
        };
        for (int i = 0; i < 2000 && (i < 300 || own.size() > 0); ++i) {
            if (i < 300 && any(2) == 0) {
                add_any();
            }
            now += std::chrono::milliseconds{any(10) == 0 ? any(30'000) : any(300)};
            std::set<memory_queue::task_id> met;
            for (auto each : own.next(now)) {
                ASSERT_TRUE(met.insert(each.id).second) << "two orders at a time, seed " << seed;
                ASSERT_TRUE(each.is != type::send || own.holds_claim(each.id)) << "seed " << seed;
                if (each.is == type::let_go) {
                    own.finished(each.id, now);
                } else {
                    open.push_back(each);
                }
            }
            ASSERT_LE(static_cast<std::int64_t>(own.running()), rules.concurrent);
            for (auto waiting = std::exchange(open, {}); auto each : waiting) {
                if (any(4) == 0) {
                    answer(each);
                } else {
                    open.push_back(each);
                }
            }
        }
        ASSERT_EQ(own.size(), 0U) << "seed " << seed;
        ASSERT_EQ(own.selected(), 0U) << "seed " << seed;
        ASSERT_EQ(own.running(), 0U) << "seed " << seed;
    }
}

} // namespace
} // namespace leat::bridge
