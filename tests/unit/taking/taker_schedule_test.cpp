// A taker with a fault at every step of its work: nothing is lost, nothing is done twice, nothing stands still.
#include "unit/taking/taker_schedule.hpp"

#include <gmock/gmock.h>

namespace leat::taking {
namespace {

using namespace std::chrono_literals;
using action = taker::action;

struct set_up {
    const char* name;
    std::int64_t concurrency;
    bool pushes;
    bool in_order;
    std::size_t large_every = 0;
    bool unreadable = false;

    friend void PrintTo(const set_up& one, std::ostream* out) { *out << one.name; }
};

// The steps that there are with some fault. A new action has to be placed here.
bool can_occur(action is, const set_up& at) {
    switch (is) {
    case action::check:
    case action::open:
    case action::look:
    case action::recover:
    case action::forward:
    case action::take:
    case action::renew:
    case action::settle:
    case action::rest:
        return true;
    case action::fetch:
        return at.large_every > 0;
    case action::begin:
        return at.large_every > 0 && at.in_order;
    case action::bury:
        return at.unreadable;
    case action::end:
        return false; // nobody asks it to
    }
    return false;
}

class every_step : public testing::TestWithParam<set_up> {
protected:
    static schedule make() {
        work what;
        what.in = "in";
        what.pending = "in:pending";
        what.dead = "in:dead";
        what.concurrency = GetParam().concurrency;
        what.pushes = GetParam().pushes;
        what.in_order = GetParam().in_order;
        what.lease = 1s;
        return schedule{std::move(what), {.large_every = GetParam().large_every, .unreadable = GetParam().unreadable}};
    }

    static void expect_each_once(const schedule& one, const std::string& what) {
        for (const auto& [message, times] : one.places()) {
            EXPECT_EQ(times, 1) << what << ": message " << message.substr(0, 5);
        }
        EXPECT_TRUE(one.kept_lease) << what;
    }

    static void expect_all_ended(const schedule& one, const std::string& what) {
        EXPECT_TRUE(one.is_idle()) << what;
        EXPECT_EQ(one.done.size() + one.dead.size(), one.size()) << what;
        for (const auto& each : one.dead) {
            EXPECT_TRUE(GetParam().unreadable && store::is_large(each)) << what << ": message " << each.substr(0, 5);
        }
    }

    // With the lease goes what is known of its last call.
    static void expect_counted(const schedule& one, const std::string& what) {
        EXPECT_EQ(one.counted_done(), one.done.size()) << what;
        EXPECT_EQ(one.counted_retries(), one.retries()) << what;
    }

    // Of those in the queue; what fails comes again later.
    static void expect_order(const schedule& one, const std::string& what) {
        std::vector<std::string> first;
        for (const auto& each : one.begun) {
            bool is_queued = std::ranges::find(one.all(), each) != one.all().end();
            if (is_queued && std::ranges::find(first, each) == first.end()) {
                first.push_back(each);
            }
        }
        std::vector<std::string> readable;
        std::ranges::copy_if(one.all(), std::back_inserter(readable), [&one](const auto& each) {
            return std::ranges::find(one.dead, each) == one.dead.end();
        });
        std::erase_if(first, [&one](const auto& each) { return std::ranges::find(one.dead, each) != one.dead.end(); });
        EXPECT_EQ(first.size(), readable.size()) << what;
        EXPECT_TRUE(std::ranges::equal(first, readable)) << what;
    }

    static std::string name_of(fault first, int at, fault second, int gap) {
        return "fault " + std::to_string(static_cast<int>(first)) + " at step " + std::to_string(at) + ", fault " +
               std::to_string(static_cast<int>(second)) + " " + std::to_string(gap) + " later";
    }
};

constexpr fault some_faults[] = {fault::answer_lost,  fault::request_lost,
                                 fault::refused,      fault::refused_by_full_server,
                                 fault::source_wrong, fault::lease_lost};

TEST_P(every_step, takes_has_decided_and_acknowledges) {
    auto one = make();
    EXPECT_LT(one.play(), 200);
    expect_each_once(one, "no fault");
    expect_all_ended(one, "no fault");
    expect_order(one, "no fault");
    expect_counted(one, "no fault");
}

TEST_P(every_step, whatever_goes_wrong_at_it_each_message_ends_once) {
    auto steps = make().play();
    std::set<action> met;
    for (auto which : some_faults) {
        for (int first = 0; first <= steps; ++first) {
            for (int gap = 0; gap < 6; ++gap) { // a second fault soon after
                auto one = make();
                auto second = gap % 2 == 0 ? fault::answer_lost : fault::refused;
                one.faults[first + gap] = second;
                one.faults[first] = which;
                auto what = name_of(which, first, second, gap);
                ASSERT_LT(one.play(), 1500) << what;
                expect_each_once(one, what);
                expect_all_ended(one, what);
                if (which != fault::lease_lost) {
                    expect_counted(one, what);
                }
                if (GetParam().in_order || GetParam().large_every == 0) {
                    expect_order(one, what);
                }
                met.insert(one.met.begin(), one.met.end());
                if (testing::Test::HasFailure()) {
                    return;
                }
            }
        }
    }
    for (int i = 0; i <= static_cast<int>(action::end); ++i) {
        auto each = static_cast<action>(i);
        EXPECT_EQ(met.contains(each), can_occur(each, GetParam())) << "action " << i;
    }
}

TEST_P(every_step, a_stop_at_it_loses_nothing_and_ends) {
    auto steps = make().play();
    for (auto which : some_faults) {
        for (int first = 0; first <= steps; ++first) {
            for (int gap = 0; gap < 4; ++gap) {
                auto one = make();
                one.faults[first] = which;
                one.faults[first + gap] = fault::stop;
                auto what = name_of(which, first, fault::stop, gap);
                ASSERT_LT(one.play(), 1500) << what;
                expect_each_once(one, what);
                EXPECT_TRUE(one.met.contains(action::end)) << what;
                if (which != fault::lease_lost) {
                    expect_counted(one, what);
                }
                if (testing::Test::HasFailure()) {
                    return;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    taker, every_step,
    testing::Values(
        set_up{"one", 1, true, false}, set_up{"three", 3, false, false}, set_up{"pushing", 3, true, false},
        set_up{"in_order", 5, true, true}, set_up{"large", 3, true, false, 3},
        set_up{"large_in_order", 5, true, true, 3}, set_up{"unreadable", 8, true, false, 3, true},
        set_up{"unreadable_in_order", 8, true, true, 3, true}),
    [](const auto& each) { return std::string{each.param.name}; });

} // namespace
} // namespace leat::taking
