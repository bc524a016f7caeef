#include "taking/recovery_plan.hpp"

#include <gmock/gmock.h>

namespace leat::taking {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

class recovery : public testing::Test {
protected:
    recovery() { plan.begin(now); }

    // A turn in which nothing else is found.
    void turn(bool more = false) {
        (void)plan.named();
        plan.recovered(more);
        if (plan.page()) {
            plan.listed(std::vector<store::gone_taker>{}, 1);
        }
        plan.ended(now);
    }
    static std::vector<store::gone_taker> gone(int first, int count) {
        std::vector<store::gone_taker> made;
        for (int id = first; id < first + count; ++id) {
            made.push_back({std::to_string(id), "process " + std::to_string(id)});
        }
        return made;
    }
    recovery_plan::clock::time_point due() const { return plan.due(std::nullopt); }

    recovery_plan::clock::time_point now{1h};
    recovery_plan plan{30s};
};

TEST_F(recovery, begins_with_the_lease) {
    EXPECT_LE(due(), now);
}

TEST_F(recovery, looks_again_three_times_in_a_lease) {
    turn();
    EXPECT_EQ(due(), now + 10s);
}

TEST_F(recovery, is_due_when_the_next_lease_ends) {
    turn();
    plan.next_lease_ends(now, 3s);
    EXPECT_EQ(due(), now + 3s);
    plan.next_lease_ends(now, 20s); // it was renewed
    EXPECT_EQ(due(), now + 20s);
}

TEST_F(recovery, looks_no_more_than_once_a_second_while_nothing_is_to_be_done) {
    turn();
    plan.next_lease_ends(now, 0s); // one that nobody can recover, say
    EXPECT_EQ(due(), now + 1s);
}

TEST_F(recovery, goes_on_at_once_while_there_is_more) {
    turn(true);
    EXPECT_EQ(due(), now);
    plan.next_lease_ends(now, 20s); // does not put it off
    EXPECT_EQ(due(), now);
    turn();
    turn();
    EXPECT_EQ(due(), now + 10s);
}

TEST_F(recovery, gives_the_others_time_after_a_reconnect) {
    EXPECT_EQ(plan.due(now), now + 5s);
    EXPECT_LE(plan.due(now - 10s), now);
}

TEST_F(recovery, waits_a_second_after_a_call_that_failed) {
    (void)plan.named();
    plan.failed(now);
    EXPECT_EQ(due(), now + 1s);
}

TEST_F(recovery, reads_the_list_of_consumers_page_by_page_and_once) {
    for (auto from : {0, 250, 500}) {
        (void)plan.named();
        plan.recovered(false);
        EXPECT_EQ(plan.page(), from);
        plan.listed(std::vector<store::gone_taker>{}, 600);
        plan.ended(now);
    }
    EXPECT_EQ(plan.page(), std::nullopt);
    EXPECT_EQ(due(), now + 10s);
    turn();
    EXPECT_EQ(plan.page(), std::nullopt);
    plan.begin(now); // another lease of ours
    EXPECT_EQ(plan.page(), 0);
}

TEST_F(recovery, reads_no_page_while_leases_that_have_ended_are_left) {
    (void)plan.named();
    plan.recovered(true);
    EXPECT_EQ(plan.page(), std::nullopt);
    plan.ended(now);
    (void)plan.named();
    plan.recovered(false);
    EXPECT_EQ(plan.page(), 0);
}

TEST_F(recovery, reads_the_first_ten_thousand_consumers_at_most) {
    int pages = 0;
    while (plan.page()) {
        plan.listed(std::vector<store::gone_taker>{}, 1'000'000);
        ++pages;
    }
    EXPECT_EQ(pages, 40);
}

TEST_F(recovery, gives_the_list_up_when_it_cannot_be_read) {
    plan.listed(std::nullopt, 0);
    EXPECT_EQ(plan.page(), std::nullopt);
    plan.ended(now);
    EXPECT_EQ(due(), now + 10s);
}

TEST_F(recovery, names_who_is_gone_only_when_the_whole_list_is_read) {
    plan.listed(gone(1, 1), 300);
    plan.ended(now);
    EXPECT_THAT(plan.named(), IsEmpty()) << "to forget some would move the next page";
    plan.recovered(false);
    plan.listed(gone(2, 1), 300);
    plan.ended(now);
    EXPECT_EQ(due(), now);
    EXPECT_EQ(plan.named(), gone(1, 2));
    plan.recovered(false);
    plan.ended(now);
    EXPECT_THAT(plan.named(), IsEmpty());
    EXPECT_EQ(due(), now + 10s);
}

TEST_F(recovery, names_them_again_until_all_that_they_had_is_recovered) {
    plan.listed(gone(1, 1), 1);
    plan.ended(now);
    EXPECT_EQ(plan.named(), gone(1, 1));
    plan.recovered(true);
    plan.ended(now);
    EXPECT_EQ(plan.named(), gone(1, 1));
    plan.failed(now); // nor is one forgotten whose call failed
    EXPECT_EQ(plan.named(), gone(1, 1));
}

TEST_F(recovery, names_a_hundred_at_a_time) {
    plan.listed(gone(1, 150), 150);
    plan.ended(now);
    EXPECT_EQ(plan.named().size(), 100U);
    plan.recovered(false);
    plan.ended(now);
    EXPECT_EQ(due(), now);
    auto rest = plan.named();
    ASSERT_EQ(rest.size(), 50U);
    EXPECT_EQ(rest.front().id, "101");
}

TEST_F(recovery, a_new_lease_forgets_what_was_found_under_the_old) {
    plan.listed(gone(1, 1), 1);
    plan.begin(now);
    plan.listed(std::nullopt, 0);
    EXPECT_THAT(plan.named(), IsEmpty());
}

} // namespace
} // namespace leat::taking
