#include "store/settlement.hpp"
#include "taking/taker.hpp"

#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

#include <deque>
#include <map>

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

// ---- a server of one queue, and whoever has its messages decided; everything that may go wrong at a step of its own

enum class fault : std::uint8_t { none, answer_lost, request_lost, lease_lost, stop };

class schedule {
public:
    explicit schedule(work what, int messages, std::size_t large_every = 0)
        : work_{std::move(what)}
        , taker_{work_} {
        for (int i = 0; i < messages; ++i) {
            auto text = std::to_string(i);
            bool is_large = large_every > 0 && i % static_cast<int>(large_every) == 1;
            source_.push_back(text + (is_large ? std::string(70'000, 'x') : ""));
            all_.push_back(source_.back());
        }
    }

    std::map<int, fault> faults; // by step
    bool fetching_costs_the_connection = false;

    // Until it has ended, or rests with nothing to do. How many steps it took.
    int play() {
        int steps = 0;
        for (; steps < 2000; ++steps) {
            auto found = faults.find(steps);
            fault_ = found == faults.end() ? fault::none : found->second;
            if (fault_ == fault::stop) {
                taker_.stop(now_);
            }
            if (fault_ == fault::lease_lost) {
                recover_hand();
            }
            auto step = taker_.next({.epoch = epoch_, .up = true}, {}, now_);
            if (step.is == action::end) {
                release();
                return steps;
            }
            if (step.is == action::rest && deciding_.empty() && source_.empty() && hand_.empty()) {
                return steps;
            }
            perform(step);
            for (auto which : taker_.take_begun()) {
                if (taker_.starts(which)) {
                    begun.push_back(which->message);
                    deciding_.push_back(which);
                }
            }
            now_ += 1ms;
        }
        return steps;
    }

    // Each message once: done, or given up, or back where others find it.
    std::map<std::string, int> places() const {
        std::map<std::string, int> seen;
        for (const auto& each : all_) {
            seen[each] += 0;
        }
        for (const auto* list : {&done, &dead}) {
            for (const auto& each : *list) {
                ++seen[each];
            }
        }
        for (const auto& each : source_) {
            ++seen[each];
        }
        for (const auto& each : hand_) {
            ++seen[each];
        }
        return seen;
    }
    const std::vector<std::string>& all() const { return all_; }
    const std::deque<std::string>& source() const { return source_; }

    std::vector<std::string> done;
    std::vector<std::string> dead;
    std::vector<std::string> begun;

private:
    void recover_hand() {
        source_.insert(source_.begin(), hand_.begin(), hand_.end());
        hand_.clear();
        lease_ = 0;
    }
    void release() { recover_hand(); }

    bool arrives() const { return fault_ != fault::request_lost; }
    bool is_answered() {
        if (fault_ == fault::answer_lost || fault_ == fault::request_lost) {
            ++epoch_;
            return false;
        }
        return true;
    }
    bool holds_lease() const { return lease_ != 0 && lease_ == taker_.id(); }

    void perform(const taker::step& step) {
        switch (step.is) {
        case action::check:
            taker_.checked();
            break;
        case action::open:
            open();
            break;
        case action::look:
            look();
            break;
        case action::fetch:
            fetch();
            break;
        case action::bury:
            dead.push_back(hand_[place_of(taker_.unread().name)]);
            hand_.erase(hand_.begin() + static_cast<std::ptrdiff_t>(place_of(taker_.unread().name)));
            taker_.buried();
            break;
        case action::begin:
            taker_.begin_waiting(now_);
            break;
        case action::take:
        case action::renew:
        case action::settle:
            call(step);
            break;
        case action::rest:
            if (!deciding_.empty()) { // the newest first, so that they end out of order
                auto which = deciding_.back();
                deciding_.pop_back();
                taker_.decide(which, verdict::done());
            } else {
                now_ = std::max(now_, std::min(step.until, now_ + 1s));
            }
            taker_.rested(step.listens);
            break;
        default:
            break;
        }
    }

    void open() {
        if (arrives()) {
            lease_ = ++last_id_;
            call_ = last_ = 0;
        }
        if (is_answered()) {
            taker_.opened(lease_, std::make_shared<lease_proof>("lease", "token"), epoch_, now_);
        } else {
            recover_hand(); // nobody knows of that lease; it ends by itself
        }
    }

    std::size_t place_of(const std::string& name) const {
        for (std::size_t i = 0; i < hand_.size(); ++i) {
            if (store::is_large(hand_[i]) && store::name_of_large(hand_[i]) == name) {
                return i;
            }
        }
        return hand_.size();
    }

    void look() {
        if (!holds_lease()) {
            return lose();
        }
        call_ += arrives() ? 1 : 0;
        if (!is_answered()) {
            return taker_.look_failed(true, now_);
        }
        taker::in_flight seen{.messages = {}, .fence = call_, .last = last_};
        for (const auto& each : hand_) {
            bool is_large = store::is_large(each);
            seen.messages.push_back({is_large ? "" : each, 0, is_large ? store::name_of_large(each) : ""});
        }
        taker_.looked(std::move(seen), epoch_, now_);
    }

    void fetch() {
        if (!holds_lease()) {
            return lose();
        }
        if (fetching_costs_the_connection) {
            ++epoch_;
            return taker_.fetch_failed(true, now_);
        }
        if (!is_answered()) {
            return taker_.fetch_failed(true, now_);
        }
        auto place = place_of(taker_.unread().name);
        taker_.fetched(place < hand_.size() ? std::optional{hand_[place]} : std::nullopt, now_);
    }

    void call(const taker::step& step) {
        if (!holds_lease()) {
            return lose();
        }
        bool in_turn = taker_.next_call() == call_ + 1;
        taker::answer answer{.in_turn = in_turn, .sent = now_, .came = now_};
        if (in_turn && arrives()) {
            call_ = last_ = taker_.next_call();
            if (step.is != action::take) {
                acknowledge();
            }
            take(step.most, answer);
        }
        if (is_answered()) {
            if (step.is != action::take) {
                taker_.settled(std::move(answer), step.most);
            } else {
                taker_.took(std::move(answer), step.most);
            }
        } else if (step.is != action::take) {
            taker_.settle_failed(loss::answer_lost, false, step.most, now_);
        } else {
            taker_.take_failed(loss::answer_lost, now_);
        }
    }

    void acknowledge() {
        std::vector<std::string> back;
        for (auto each : taker_.chosen().which) {
            auto found = std::ranges::find(hand_, each->message);
            ASSERT_NE(found, hand_.end());
            hand_.erase(found);
            if (each->decided->is == verdict::type::give_back) {
                back.push_back(each->message);
            } else {
                (each->decided->is == verdict::type::dead ? dead : done).push_back(each->message);
            }
        }
        source_.insert(source_.begin(), back.begin(), back.end());
    }

    void take(std::int64_t most, taker::answer& answer) {
        for (; most > 0 && !source_.empty(); --most) {
            answer.messages.push_back({source_.front(), 0, {}});
            hand_.push_back(source_.front());
            source_.pop_front();
        }
        answer.left = static_cast<std::int64_t>(source_.size());
    }

    void lose() {
        taker_.lost_lease();
        for (auto each : std::exchange(deciding_, {})) { // whoever worked at them says so, too late
            taker_.decide(each, verdict::done());
        }
    }

    work work_;
    taker taker_;
    std::vector<std::string> all_;
    std::deque<std::string> source_; // the next is in front
    std::vector<std::string> hand_;  // oldest first
    std::vector<hand::entry> deciding_;
    std::int64_t lease_ = 0;
    std::int64_t last_id_ = 0;
    std::int64_t call_ = 0;
    std::int64_t last_ = 0;
    std::uint64_t epoch_ = 1;
    fault fault_ = fault::none;
    taker::clock::time_point now_ = start;
};

void expect_each_once(const schedule& one, const std::string& what) {
    for (const auto& [message, times] : one.places()) {
        EXPECT_EQ(times, 1) << what << ": message " << message.substr(0, 5);
    }
}

TEST(taker, takes_has_decided_and_acknowledges) {
    schedule one{some_work(), 10};
    EXPECT_LT(one.play(), 100);
    EXPECT_EQ(one.done.size(), 10U);
    EXPECT_EQ(one.begun, one.all());
    expect_each_once(one, "no fault");
}

struct set_up {
    const char* name;
    std::int64_t concurrency;
    bool pushes;
    bool in_order;
    std::size_t large_every;
};

class every_step : public testing::TestWithParam<set_up> {
protected:
    static schedule make() {
        auto what = some_work(GetParam().concurrency);
        what.pushes = GetParam().pushes;
        what.in_order = GetParam().in_order;
        return schedule{std::move(what), 8, GetParam().large_every};
    }
    // Begun once more only when it was not decided yet.
    static void expect_order(const schedule& one, const std::string& what) {
        std::vector<std::string> first;
        for (const auto& each : one.begun) {
            if (std::ranges::find(first, each) == first.end()) {
                first.push_back(each);
            }
        }
        EXPECT_TRUE(std::ranges::equal(first, one.all())) << what;
    }
};

TEST_P(every_step, whatever_is_lost_at_it_each_message_ends_once) {
    auto steps = make().play();
    for (auto which : {fault::answer_lost, fault::request_lost, fault::lease_lost}) {
        for (int first = 0; first <= steps; ++first) {
            for (int gap = 0; gap < 6; ++gap) { // a second fault soon after
                auto one = make();
                one.faults[first] = which;
                one.faults[first + gap] = gap > 0 ? fault::answer_lost : which;
                auto what = std::to_string(static_cast<int>(which)) + " at step " + std::to_string(first) + ", and " +
                            std::to_string(gap) + " later";
                ASSERT_LT(one.play(), 1500) << what;
                expect_each_once(one, what);
                EXPECT_THAT(one.source(), IsEmpty()) << what;
                EXPECT_EQ(one.done.size(), 8U) << what;
                if (GetParam().in_order || GetParam().large_every == 0) {
                    expect_order(one, what);
                }
                if (testing::Test::HasFailure()) {
                    return;
                }
            }
        }
    }
}

TEST_P(every_step, a_stop_at_it_loses_nothing_and_ends) {
    auto steps = make().play();
    for (int first = 0; first <= steps; ++first) {
        for (int gap = 0; gap < 4; ++gap) {
            auto one = make();
            one.faults[first] = fault::answer_lost;
            one.faults[first + gap] = fault::stop;
            auto what = "stop at step " + std::to_string(first + gap);
            ASSERT_LT(one.play(), 1500) << what;
            expect_each_once(one, what);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    taker, every_step,
    testing::Values(
        set_up{"one", 1, true, false, 0}, set_up{"three", 3, false, false, 0}, set_up{"pushing", 3, true, false, 0},
        set_up{"in_order", 5, true, true, 0}, set_up{"large", 3, true, false, 3},
        set_up{"large_in_order", 5, true, true, 3}),
    [](const auto& each) { return std::string{each.param.name}; });

TEST(taker, a_large_message_that_cannot_be_read_is_given_up_and_the_others_are_done) {
    for (bool in_order : {false, true}) {
        auto what = some_work(8);
        what.in_order = in_order;
        schedule one{std::move(what), 6, 6};
        one.faults[2] = fault::answer_lost; // of the call that takes
        one.fetching_costs_the_connection = true;
        ASSERT_LT(one.play(), 1500);
        EXPECT_EQ(one.done.size(), 5U);
        ASSERT_EQ(one.dead.size(), 1U);
        EXPECT_TRUE(store::is_large(one.dead.front()));
    }
}

// ---- single decisions

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
