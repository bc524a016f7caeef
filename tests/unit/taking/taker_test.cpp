#include "store/settlement.hpp"
#include "taking/taker.hpp"

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

namespace leat::taking {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using action = taker::action;
using loss = taker::loss;

const taker::clock::time_point start{1000s};

work some_work(std::int64_t concurrency = 3) {
    work made;
    made.in = "in";
    made.pending = "in:pending";
    made.dead = "in:dead";
    made.concurrency = concurrency;
    return made;
}

class at_work : public testing::Test {
protected:
    void SetUp() override {
        taker_.checked();
        taker_.opened(1, std::make_shared<lease_proof>("lease", "token"), 1, start);
    }
    taker::step next(taker::clock::time_point now = start, taker::errands others = {}) {
        return taker_.next({.epoch = 1, .up = true}, others, now);
    }
    hand::entry take_one(const std::string& text, taker::answer more = {}) {
        auto step = next();
        more.messages = {{text, 0, {}}};
        more.sent = more.came = start;
        taker_.settled(std::move(more), step.most);
        return taker_.take_begun().front();
    }
    work work_ = some_work();
    taker taker_{work_};
};

TEST_F(at_work, a_lease_is_renewed_before_anything_else) {
    auto later = start + 10s;
    EXPECT_EQ(next(later, {.recover = start, .forward = start}).is, action::renew);
    taker_.settled({.sent = later, .came = later}, 3);
    EXPECT_EQ(next(later, {.recover = start, .forward = start}).is, action::recover);
}

TEST_F(at_work, recovery_comes_first_and_takes_turns_with_work) {
    taker::errands others{.recover = start, .forward = taker::clock::time_point::max()};
    EXPECT_EQ(next(start, others).is, action::recover);
    EXPECT_EQ(next(start + 100ms, others).is, action::recover);
    EXPECT_EQ(next(start + 200ms, others).is, action::settle) << "a turn of work";
    taker_.settled({.sent = start, .came = start}, 3);
    EXPECT_EQ(next(start + 201ms, others).is, action::recover);
}

TEST_F(at_work, a_full_redis_is_left_alone_for_a_second) {
    work_.pushes = true;
    EXPECT_EQ(next().is, action::take);
    taker_.take_failed(loss::refused_by_full_server, start);
    auto step = next();
    EXPECT_EQ(step.is, action::rest);
    EXPECT_EQ(step.until, start + 1s);
    EXPECT_FALSE(step.listens);
    EXPECT_EQ(next(start + 1s).is, action::take);
}

TEST_F(at_work, what_redis_refuses_to_acknowledge_does_not_cost_the_lease) {
    auto which = take_one("a");
    taker_.decide(which, verdict::done());
    EXPECT_EQ(next().is, action::settle);
    EXPECT_EQ(taker_.chosen().which.size(), 1U);
    taker_.settle_failed(loss::refused, true, 3, start);
    EXPECT_EQ(next(start + 10s).is, action::renew);
    EXPECT_THAT(taker_.chosen().which, IsEmpty()) << "the renewal goes without it";
}

TEST_F(at_work, an_acknowledgement_that_could_not_take_is_followed_by_a_take_that_says_why) {
    EXPECT_EQ(next().most, 3);
    taker_.settled({.source_wrong = true, .sent = start, .came = start}, 3);
    auto step = next();
    EXPECT_EQ(step.is, action::take);
    EXPECT_EQ(step.most, 3);
    taker_.take_failed(loss::refused, start);
    EXPECT_NE(next().is, action::take) << "once";
}

TEST_F(at_work, what_comes_behind_messages_that_go_back_goes_back_too) {
    work_.concurrency = 10;
    auto a = take_one("a");
    taker_.decide(a, verdict::give_back());
    taker_.settle_failed(loss::answer_lost, false, 9, start);
    taker_.looked({.messages = {{"a", 0, {}}, {"b", 0, {}}}, .fence = 5, .last = 1}, 1, start);
    auto begun = taker_.take_begun();
    ASSERT_EQ(begun.size(), 1U);
    EXPECT_FALSE(taker_.starts(begun.front()));
    EXPECT_EQ(next().is, action::settle);
    ASSERT_EQ(taker_.chosen().which.size(), 2U);
    EXPECT_EQ(taker_.chosen().which[1]->decided->is, verdict::type::give_back);
}

TEST_F(at_work, nothing_is_given_back_before_what_was_taken_behind_it_was_read) {
    work what = some_work(10);
    what.in_order = true;
    taker one{what};
    one.checked();
    one.opened(1, std::make_shared<lease_proof>("lease", "token"), 1, start);
    auto next_of = [&one](taker::clock::time_point now) { return one.next({.epoch = 1, .up = true}, {}, now); };
    auto step = next_of(start);
    one.settled({.sent = start, .came = start, .messages = {{"1", 0, {}}, {"2", 0, {}}}}, step.most);
    auto begun = one.take_begun();
    next_of(start);
    one.settle_failed(loss::answer_lost, false, 8, start);
    auto large = std::string(70'000, 'x');
    one.looked(
        {.messages = {{"1", 0, {}}, {"2", 0, {}}, {"", 0, store::name_of_large(large)}, {"9", 0, {}}},
         .fence = 2,
         .last = 2},
        1, start);
    for (auto each : begun) {
        one.decide(each, verdict::give_back());
    }
    EXPECT_EQ(next_of(start).is, action::rest);
    EXPECT_FALSE(one.can_acknowledge());
    auto later = start + 100ms;
    EXPECT_EQ(next_of(later).is, action::fetch);
    one.fetched(large, later);
    EXPECT_EQ(next_of(later).is, action::begin);
    one.begin_waiting(later);
    for (auto each : one.take_begun()) {
        EXPECT_FALSE(one.starts(each));
    }
    EXPECT_EQ(next_of(later).is, action::settle);
    ASSERT_EQ(one.chosen().which.size(), 4U);
    EXPECT_EQ(one.chosen().which[3]->message, "9");
    one.stop(later);
    EXPECT_EQ(next_of(later).is, action::settle);
}

TEST_F(at_work, a_stop_leaves_what_goes_back_behind_unread_messages_to_the_end_of_the_lease) {
    work what = some_work(10);
    what.in_order = true;
    taker one{what};
    one.checked();
    one.opened(1, std::make_shared<lease_proof>("lease", "token"), 2, start);
    taker::connection at{.epoch = 1, .up = true};
    EXPECT_EQ(one.next(at, {}, start).is, action::look);
    one.looked(
        {.messages = {{"1", 0, {}}, {"", 0, store::name_of_large(std::string(70'000, 'x'))}}, .fence = 1}, 1, start);
    auto begun = one.take_begun();
    one.stop(start);
    EXPECT_EQ(one.next(at, {}, start).is, action::rest);
    one.decide(begun.front(), verdict::give_back());
    EXPECT_EQ(one.next(at, {}, start).is, action::end);
}

TEST_F(at_work, a_suspect_is_alone_until_it_has_begun) {
    work_.decide = [](const taken&, ticket) { return std::nullopt; };
    auto suspect = take_one("s", {.left = 5, .waits = true});
    EXPECT_EQ(next().is, action::rest) << "nothing joins it";
    taker_.has_begun(suspect);
    auto step = next();
    EXPECT_EQ(step.is, action::settle);
    EXPECT_EQ(step.most, 2);
    EXPECT_FALSE(taker_.cleared_suspect().empty());
}

TEST_F(at_work, a_result_that_costs_the_connection_again_and_again_is_given_up) {
    auto which = take_one("a");
    taker_.decide(which, verdict::done({{.to = "out", .message = std::string(100'000, 'x')}}));
    for (int tries = 1; tries <= 5; ++tries) {
        EXPECT_EQ(next().is, action::settle);
        taker_.settle_failed(loss::answer_lost, false, 0, start);
        EXPECT_EQ(next().is, action::look);
        auto looked = taker_.looked({.messages = {{"a", 0, {}}}, .fence = tries, .last = 0}, 1, start);
        EXPECT_EQ(looked.given_up.has_value(), tries == 5) << tries;
    }
    EXPECT_EQ(which->decided->is, verdict::type::dead);
    EXPECT_EQ(which->decided->name, "TooLarge");
}

TEST_F(at_work, a_message_or_result_beyond_its_bound_is_given_up) {
    work_.max_message_bytes = 100;
    auto large = take_one(std::string(101, 'x'));
    EXPECT_FALSE(taker_.starts(large));
    EXPECT_EQ(large->decided->name, "TooLarge");
    auto small = take_one("a");
    EXPECT_TRUE(taker_.starts(small));
    taker_.decide(small, verdict::done({{.to = "out", .message = std::string(101, 'x')}}));
    EXPECT_EQ(small->decided->name, "TooLarge");
}

TEST_F(at_work, results_hold_up_others_only_while_some_can_be_acknowledged_and_more_would_come) {
    work_.max_bytes_in_flight = 100;
    auto first = take_one("a");
    auto second = take_one(std::string(200, 'x'));
    EXPECT_FALSE(taker_.is_overfull()) << "what was taken needs a result to go";
    taker_.decide(first, verdict::done({{.to = "out", .message = "small"}}));
    EXPECT_TRUE(taker_.is_overfull());
    taker_.decide(second, verdict::done({{.to = "out", .message = std::string(200, 'x')}}));
    EXPECT_FALSE(taker_.is_overfull()) << "no result is awaited any more";
}

TEST(backlog, is_full_as_long_as_a_loop_that_lives_says_so) {
    boost::asio::io_context context;
    backlog results{context.get_executor()};
    backlog::report one{&results};
    {
        backlog::report other{&results};
        other.set(true);
        one.set(true);
        one.set(true);
        one.set(false);
        EXPECT_TRUE(results.is_full());
    }
    EXPECT_FALSE(results.is_full());
}

TEST_F(at_work, a_stop_waits_for_what_is_in_flight_then_has_it_given_up) {
    work_.patience = 2s;
    auto which = take_one("a");
    taker_.stop(start);
    auto step = next();
    EXPECT_EQ(step.is, action::rest);
    EXPECT_EQ(step.until, start + 2s);
    taker_.stop(start + 1s);
    EXPECT_EQ(next().until, start + 2s) << "who is asked twice has no more time";
    EXPECT_TRUE(taker_.is_out_of_patience(start + 2s));
    taker_.decide(which, verdict::give_back());
    EXPECT_EQ(next().is, action::settle);
    EXPECT_EQ(next().most, 0) << "nothing new is taken";
    taker_.settled({.sent = start, .came = start}, 0);
    EXPECT_EQ(next().is, action::end);
}

TEST_F(at_work, a_stop_ends_when_there_will_be_no_connection) {
    take_one("a");
    taker_.stop(start);
    EXPECT_EQ(taker_.next({.epoch = 1, .up = false, .ended = true}, {}, start).is, action::end);
}

} // namespace
} // namespace leat::taking
