#include "redis/failure_policy.hpp"

#include <gtest/gtest.h>

namespace leat::redis {
namespace {

using namespace std::chrono_literals;
using says = failure_policy::reaction::says;

const failure_policy::clock::time_point start{1000s};

failure made(error_class kind, std::string text = "text") {
    return {kind, std::move(text)};
}

TEST(failure_policy, what_passes_by_itself_is_tried_again_after_a_pause) {
    for (auto kind : {error_class::retry, error_class::pause_intake, error_class::no_script}) {
        failure_policy policy;
        auto seen = policy.failed(made(kind), true, false, start);
        EXPECT_TRUE(seen.goes_on) << to_string(kind);
        EXPECT_FALSE(seen.looks_up) << to_string(kind);
        EXPECT_EQ(seen.log, says::waits) << to_string(kind);
        EXPECT_GE(seen.pause, 25ms);
        EXPECT_LE(seen.pause, 50ms);
    }
}

TEST(failure_policy, what_a_person_must_mend_is_waited_for) {
    failure_policy policy;
    auto seen = policy.failed(made(error_class::await_repair), true, false, start);
    EXPECT_TRUE(seen.goes_on);
    EXPECT_EQ(seen.log, says::awaits_repair);
    EXPECT_GT(seen.pause, 0ms);
}

TEST(failure_policy, who_is_not_allowed_to_stops_unless_he_is_patient) {
    failure_policy policy;
    auto seen = policy.failed(made(error_class::stop), true, false, start);
    EXPECT_FALSE(seen.goes_on);
    EXPECT_EQ(seen.log, says::stops);
    failure_policy patient;
    seen = patient.failed(made(error_class::stop), true, true, start);
    EXPECT_TRUE(seen.goes_on);
    EXPECT_EQ(seen.log, says::awaits_repair);
    EXPECT_GT(seen.pause, 0ms);
}

TEST(failure_policy, a_lost_connection_is_the_links_to_report_and_costs_no_pause) {
    failure_policy policy;
    auto seen = policy.failed(made(error_class::find_server), false, false, start);
    EXPECT_TRUE(seen.goes_on);
    EXPECT_TRUE(seen.looks_up); // by who listens, too
    EXPECT_EQ(seen.log, says::nothing);
    EXPECT_EQ(seen.pause, 0ms);
    EXPECT_FALSE(policy.answered(start)) << "nothing was said, so nothing ends";
}

TEST(failure_policy, a_server_that_takes_no_writes_is_looked_up_again) {
    failure_policy policy;
    auto seen = policy.failed(made(error_class::find_server, "READONLY"), true, false, start);
    EXPECT_TRUE(seen.looks_up);
    EXPECT_EQ(seen.log, says::waits);
    EXPECT_GT(seen.pause, 0ms);
}

TEST(failure_policy, pauses_grow_up_to_a_second_and_begin_again_after_an_answer) {
    failure_policy policy;
    auto now = start;
    for (auto expected : {50ms, 100ms, 200ms, 400ms, 800ms, 1000ms, 1000ms}) {
        auto pause = policy.failed(made(error_class::retry), true, false, now).pause;
        EXPECT_GE(pause, expected / 2);
        EXPECT_LE(pause, expected);
        now += pause;
    }
    policy.answered(now);
    EXPECT_LE(policy.failed(made(error_class::retry), true, false, now).pause, 50ms);
}

// What each class of errors leads to, while the connection is there and while it is not.
TEST(failure_policy, every_class_has_its_reaction) {
    struct row {
        error_class kind;
        bool goes_on, patient_goes_on, looks_up, pauses, pauses_when_lost;
        says log;
    };
    for (const auto& each : {
             row{error_class::retry, true, true, false, true, true, says::waits},
             row{error_class::find_server, true, true, true, true, false, says::waits},
             row{error_class::pause_intake, true, true, false, true, true, says::waits},
             row{error_class::await_repair, true, true, false, true, true, says::awaits_repair},
             row{error_class::no_script, true, true, false, true, true, says::waits},
             row{error_class::stop, false, true, false, false, false, says::stops},
         }) {
        failure_policy policy, patient, lost;
        auto seen = policy.failed(made(each.kind), true, false, start);
        EXPECT_EQ(seen.goes_on, each.goes_on) << to_string(each.kind);
        EXPECT_EQ(seen.looks_up, each.looks_up) << to_string(each.kind);
        EXPECT_EQ(seen.pause > 0ms, each.pauses) << to_string(each.kind);
        EXPECT_EQ(seen.log, each.log) << to_string(each.kind);
        EXPECT_EQ(patient.failed(made(each.kind), true, true, start).goes_on, each.patient_goes_on)
            << to_string(each.kind);
        EXPECT_EQ(lost.failed(made(each.kind), false, false, start).pause > 0ms, each.pauses_when_lost)
            << to_string(each.kind);
    }
}

TEST(failure_policy, what_fails_again_after_its_pause_waits_longer_and_what_comes_between_does_not) {
    failure_policy policy;
    auto now = start;
    auto first = policy.failed(made(error_class::await_repair), true, false, now).pause;
    now += first / 2;
    policy.failed(made(error_class::retry), true, false, now); // within the pause: no step of its own
    now += first - first / 2;
    EXPECT_LE(policy.failed(made(error_class::await_repair), true, false, now).pause, 100ms);
    now += 100ms;
    EXPECT_GE(policy.failed(made(error_class::await_repair), true, false, now).pause, 100ms);
}

TEST(failure_policy, a_connection_that_is_lost_in_a_fault_does_not_end_it) {
    failure_policy policy;
    policy.failed(made(error_class::pause_intake, "OOM"), true, false, start);
    EXPECT_EQ(policy.failed(made(error_class::find_server, "lost"), false, false, start + 1s).log, says::nothing);
    EXPECT_TRUE(policy.answered(start + 2s)) << "the end of the first is still to be logged";
}

TEST(failure_policy, it_says_when_a_fault_may_be_over) {
    failure_policy policy{10s};
    EXPECT_EQ(policy.over_at(), failure_policy::clock::time_point::max());
    policy.failed(made(error_class::await_repair), true, false, start);
    EXPECT_EQ(policy.over_at(), start + 10s);
    policy.failed(made(error_class::await_repair), true, false, start + 3s);
    EXPECT_FALSE(policy.answered(start + 4s));
    EXPECT_EQ(policy.over_at(), start + 13s);
    EXPECT_TRUE(policy.answered(policy.over_at()));
    EXPECT_EQ(policy.over_at(), failure_policy::clock::time_point::max());
}

TEST(failure_policy, many_that_fail_together_wait_for_one_pause) {
    failure_policy policy;
    auto first = policy.failed(made(error_class::retry), true, false, start).pause;
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(policy.failed(made(error_class::retry), true, false, start).pause, first);
    }
    EXPECT_EQ(policy.failed(made(error_class::retry), true, false, start + first / 2).pause, first - first / 2);
    EXPECT_EQ(policy.failures(), 102U);
}

TEST(failure_policy, a_fault_is_logged_once_when_it_begins_and_once_when_it_ends) {
    failure_policy policy;
    EXPECT_EQ(policy.failed(made(error_class::retry, "one"), true, false, start).log, says::waits);
    EXPECT_EQ(policy.failed(made(error_class::retry, "one"), true, false, start + 1s).log, says::nothing);
    EXPECT_EQ(policy.failed(made(error_class::retry, "two"), true, false, start + 2s).log, says::waits);
    EXPECT_EQ(policy.failed(made(error_class::retry, "one"), true, false, start + 2s).log, says::nothing);
    EXPECT_TRUE(policy.answered(start + 2s));
    EXPECT_FALSE(policy.answered(start + 2s));
    EXPECT_EQ(policy.failed(made(error_class::retry, "two"), true, false, start + 3s).log, says::waits);
}

TEST(failure_policy, of_a_fault_with_a_thousand_reasons_a_few_are_logged) {
    failure_policy policy;
    int logged = 0;
    for (int i = 0; i < 1000; ++i) {
        auto seen = policy.failed(made(error_class::retry, "reason " + std::to_string(i)), true, false, start);
        logged += seen.log == says::waits ? 1 : 0;
    }
    EXPECT_EQ(logged, 10);
    EXPECT_TRUE(policy.answered(start));
}

TEST(failure_policy, where_others_go_well_meanwhile_a_fault_ends_when_none_has_failed_for_a_while) {
    failure_policy policy{2s};
    auto now = start;
    EXPECT_EQ(policy.failed(made(error_class::pause_intake, "OOM"), true, true, now).log, says::waits);
    for (int i = 0; i < 20; ++i) { // reads go well, writes do not
        now += 500ms;
        EXPECT_FALSE(policy.answered(now));
        now += 500ms;
        auto seen = policy.failed(made(error_class::pause_intake, "OOM"), true, true, now);
        EXPECT_EQ(seen.log, says::nothing);
        EXPECT_TRUE(i < 6 || seen.pause >= 500ms) << "and its pauses grow";
    }
    EXPECT_FALSE(policy.answered(now + 1999ms));
    EXPECT_TRUE(policy.answered(now + 2s));
    EXPECT_FALSE(policy.answered(now + 3s));
}

} // namespace
} // namespace leat::redis
