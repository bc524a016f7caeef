#include "taking/failure_lines.hpp"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <algorithm>
#include <sstream>

namespace leat::taking {
namespace {

using namespace std::chrono_literals;

TEST(line_budget, admits_some_in_each_second_and_counts_the_rest) {
    line_budget budget{3};
    line_budget::clock::time_point now{1h};
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(budget.admits(now + i * 10ms), i < 3) << i;
    }
    EXPECT_EQ(budget.take_missed(now + 500ms), 0) << "the second is not over";
    EXPECT_EQ(budget.take_missed(now + 1s), 7);
    EXPECT_EQ(budget.take_missed(now + 1s), 0);
    EXPECT_TRUE(budget.admits(now + 1s));
}

struct lines : testing::Test {
    lines() {
        what.in = "in";
        what.dead = "in:dead";
        what.max_deliveries = 3;
        what.pauses.jitter = 0;
    }
    std::string said(std::int64_t delivery, verdict how, int times = 1) {
        hand held;
        hand::choice chosen;
        for (int i = 0; i < times; ++i) {
            auto one = held.add("x", delivery, {});
            held.decide(one, how);
            chosen.which.push_back(one);
        }
        text.str("");
        failure_lines{what, log}.acknowledged(chosen, 0.5);
        return text.str();
    }

    work what;
    std::ostringstream text;
    base::log_ptr log = [this] {
        auto made = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_st>(text));
        made->set_pattern("%l %v");
        return made;
    }();
};

TEST_F(lines, tell_what_failed_and_when_it_is_tried_next) {
    EXPECT_EQ(
        said(2, verdict::again("exit code 1\n")), "warning a message failed and will be retried in=in "
                                                  "digest=11f6ad8ec52a2984abaafd7c3b516503785c2072 attempt=2/3 "
                                                  "next=2000ms reason=\"exit code 1\\x0a\"\n");
}

TEST_F(lines, tell_what_was_given_up) {
    for (auto& [delivery, how] :
         {std::pair{std::int64_t{1}, verdict::dead("exit code 65")}, {3, verdict::again("exit code 65")}}) {
        EXPECT_EQ(
            said(delivery, how),
            "error a message was given up in=in dead=in:dead digest=11f6ad8ec52a2984abaafd7c3b516503785c2072 attempt=" +
                std::to_string(delivery) + " reason=\"exit code 65\"\n");
    }
}

TEST_F(lines, say_nothing_of_what_is_done_or_given_back) {
    EXPECT_EQ(said(1, verdict::done()) + said(1, verdict::give_back()), "");
}

TEST_F(lines, are_few_however_much_fails) {
    auto all = said(1, verdict::again("no"), 1000);
    EXPECT_EQ(std::ranges::count(all, '\n'), 10);
}

} // namespace
} // namespace leat::taking
