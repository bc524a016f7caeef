#pragma once

#include "store/settlement.hpp"
#include "taking/taker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace leat::taking {

// What may go wrong at a step.
enum class fault : std::uint8_t {
    none,
    answer_lost,  // the call is done, and the connection lost
    request_lost, // the call is not done, and nobody can tell
    refused,
    refused_by_full_server,
    source_wrong, // it is no list: nothing can be taken
    lease_lost,
    stop,
};

// A taker, with a server of one queue and whoever decides of its messages, in a time of their own: every step may have
// a fault. Some messages fail the first time, and some are in the hand of a consumer that has died.
class schedule {
public:
    using action = taker::action;
    using time_point = taker::clock::time_point;
    static constexpr auto start = time_point{std::chrono::seconds{1000}};

    struct queue {
        int messages = 8;
        std::size_t large_every = 0;
        bool unreadable = false; // to fetch a large one costs the connection
    };

    schedule(work what, queue given)
        : work_{std::move(what)}
        , unreadable_{given.unreadable}
        , taker_{work_} {
        for (int i = 0; i < given.messages; ++i) {
            bool is_large = given.large_every > 0 && i % static_cast<int>(given.large_every) == 1;
            auto text = std::to_string(i) + (is_large ? std::string(70'000, 'x') : "");
            source_.push_back(text);
            all_.push_back(text);
            if (i % 4 == 3) {
                failing_.insert(text);
            }
        }
        for (const auto& each : of_the_dead_) {
            gone_.push_back(each);
        }
    }

    std::map<int, fault> faults; // by step

    // Until it has ended, or rests with nothing to do and no fault to come. How many steps it took.
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
            kept_lease = kept_lease && !(holds_lease() && now_ >= lease_until_);
            auto step =
                taker_.next({.epoch = epoch_, .up = true}, {.recover = recover_at_, .forward = forward_at_}, now_);
            met.insert(step.is);
            if (step.is == action::end) {
                recover_hand(); // it gives its lease back
                return steps;
            }
            if (step.is == action::rest && is_idle() && faults.upper_bound(steps) == faults.end()) {
                return steps;
            }
            perform(step);
            begin_decisions();
            now_ += std::chrono::milliseconds{1};
        }
        return steps;
    }

    // Each message once: done, given up, or where it is still to be found.
    std::map<std::string, int> places() const {
        std::map<std::string, int> seen;
        for (const auto* list : {&all_, &of_the_dead_}) {
            for (const auto& each : *list) {
                seen[each] += 0;
            }
        }
        auto count = [&seen](const auto& list) {
            for (const auto& each : list) {
                ++seen[each];
            }
        };
        count(done);
        count(dead);
        count(source_);
        count(hand_);
        count(gone_);
        for (const auto& each : delayed_) {
            ++seen[each.second];
        }
        return seen;
    }
    // Of the queue, oldest first.
    const std::vector<std::string>& all() const { return all_; }
    std::size_t size() const { return all_.size() + of_the_dead_.size(); }
    bool is_idle() const {
        return deciding_.empty() && source_.empty() && hand_.empty() && delayed_.empty() && gone_.empty();
    }

    // What the taker tells people of all that.
    std::int64_t counted_done() const { return taker_.totals().done; }
    std::int64_t counted_retries() const { return taker_.totals().retry; }
    std::size_t retries() const { return failed_.size(); }

    std::vector<std::string> done;
    std::vector<std::string> dead;
    std::vector<std::string> begun;
    std::set<action> met;
    bool kept_lease = true; // it never came to its end

private:
    using loss = taker::loss;
    static constexpr auto never = time_point::max();
    // Longer than a lease may go without a call.
    static constexpr auto decision = std::chrono::milliseconds{500};
    static constexpr auto delay = std::chrono::milliseconds{300};
    static constexpr auto pause_after_failure = std::chrono::seconds{1};

    // ---- what becomes of a call

    bool arrives() const {
        return fault_ != fault::request_lost && fault_ != fault::refused && fault_ != fault::refused_by_full_server;
    }
    std::optional<loss> failure() {
        switch (fault_) {
        case fault::answer_lost:
        case fault::request_lost:
            ++epoch_;
            return loss::answer_lost;
        case fault::refused:
            return loss::refused;
        case fault::refused_by_full_server:
            return loss::refused_by_full_server;
        default:
            return std::nullopt;
        }
    }
    bool holds_lease() const { return lease_ != 0 && lease_ == taker_.id(); }

    // ---- actions

    void perform(const taker::step& step) {
        switch (step.is) {
        case action::check:
            if (!failure()) {
                taker_.checked();
            }
            break;
        case action::open:
            open();
            break;
        case action::look:
            look();
            break;
        case action::recover:
            recover();
            break;
        case action::forward:
            forward();
            break;
        case action::fetch:
            fetch();
            break;
        case action::bury:
            bury();
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
            rest(step);
            break;
        case action::end:
            break;
        }
    }

    void open() {
        if (arrives()) {
            lease_ = ++last_id_;
            lease_until_ = now_ + work_.lease;
            call_ = last_ = 0;
        }
        if (!failure()) {
            taker_.opened(lease_, std::make_shared<lease_proof>("lease", "token"), epoch_, now_);
        } else {
            recover_hand(); // nobody knows of that lease; it ends by itself
        }
    }

    void look() {
        if (!holds_lease()) {
            return lose();
        }
        call_ += arrives() ? 1 : 0;
        if (auto failed = failure()) {
            return taker_.look_failed(*failed == loss::answer_lost, now_);
        }
        taker::in_flight seen{.messages = {}, .fence = call_, .last = last_};
        for (const auto& each : hand_) {
            bool is_large = store::is_large(each);
            seen.messages.push_back(
                {is_large ? "" : each, failures_of(each), is_large ? store::name_of_large(each) : ""});
        }
        taker_.looked(std::move(seen), epoch_, now_);
    }

    void recover() {
        bool any = !gone_.empty() && now_ >= gone_until_;
        if (arrives() && any) {
            source_.insert(source_.begin(), gone_.begin(), gone_.end());
            gone_.clear();
        }
        if (failure()) {
            recover_at_ = now_ + pause_after_failure;
        } else {
            taker_.recovered(any);
            recover_at_ = gone_.empty() ? never : gone_until_;
        }
    }

    void forward() {
        bool any = false;
        if (arrives()) {
            while (!delayed_.empty() && delayed_.begin()->first <= now_) {
                source_.push_front(delayed_.begin()->second);
                delayed_.erase(delayed_.begin());
                any = true;
            }
        }
        if (failure()) {
            forward_at_ = now_ + pause_after_failure;
        } else {
            taker_.forwarded(any);
            note_dates();
        }
    }

    void fetch() {
        if (!holds_lease()) {
            return lose();
        }
        if (unreadable_) {
            ++epoch_;
            return taker_.fetch_failed(true, now_);
        }
        if (auto failed = failure()) {
            return taker_.fetch_failed(*failed == loss::answer_lost, now_);
        }
        auto found = place_of(taker_.unread().name);
        taker_.fetched(found == hand_.end() ? std::nullopt : std::optional{*found}, now_);
    }

    void bury() {
        if (!holds_lease()) {
            return lose();
        }
        if (arrives()) {
            auto found = place_of(taker_.unread().name);
            ASSERT_NE(found, hand_.end());
            dead.push_back(*found);
            hand_.erase(found);
        }
        if (failure()) {
            return taker_.fetch_failed(false, now_);
        }
        taker_.buried();
    }

    void call(const taker::step& step) {
        if (!holds_lease()) {
            return lose();
        }
        bool takes_only = step.is == action::take;
        bool is_wrong = fault_ == fault::source_wrong && step.most > 0;
        if (takes_only && is_wrong) {
            return taker_.take_failed(loss::refused, now_);
        }
        bool in_turn = taker_.next_call() == call_ + 1;
        taker::answer answer{.in_turn = in_turn, .source_wrong = is_wrong, .sent = now_, .came = now_};
        if (in_turn && arrives()) {
            call_ = last_ = taker_.next_call();
            lease_until_ = now_ + work_.lease;
            if (!takes_only) {
                acknowledge();
            }
            take(is_wrong ? 0 : step.most, answer);
        }
        auto failed = failure();
        if (failed && takes_only) {
            taker_.take_failed(*failed, now_);
        } else if (failed) {
            taker_.settle_failed(*failed, *failed != loss::answer_lost, step.most, now_);
        } else if (takes_only) {
            taker_.took(std::move(answer), step.most);
        } else {
            taker_.settled(std::move(answer), step.most);
        }
        if (!failed && in_turn) {
            note_dates();
        }
    }

    void acknowledge() {
        std::vector<std::string> back;
        for (auto each : taker_.chosen().which) {
            auto found = std::ranges::find(hand_, each->message);
            ASSERT_NE(found, hand_.end());
            hand_.erase(found);
            end(each->message, each->decided->is, back);
        }
        source_.insert(source_.begin(), back.begin(), back.end());
    }

    void end(const std::string& message, verdict::type how, std::vector<std::string>& back) {
        switch (how) {
        case verdict::type::done:
            done.push_back(message);
            break;
        case verdict::type::again:
            failed_.insert(message);
            delayed_.emplace(now_ + delay, message);
            break;
        case verdict::type::dead:
            dead.push_back(message);
            break;
        case verdict::type::give_back:
            back.push_back(message);
            break;
        }
    }

    void take(std::int64_t most, taker::answer& answer) {
        for (; most > 0 && !source_.empty(); --most) {
            answer.messages.push_back({source_.front(), failures_of(source_.front()), {}});
            hand_.push_back(source_.front());
            source_.pop_front();
        }
        answer.left = static_cast<std::int64_t>(source_.size());
    }

    void rest(const taker::step& step) {
        failure(); // it may lose its connection here, too
        if (taker_.is_out_of_patience(now_)) {
            for (auto each : std::exchange(deciding_, {})) {
                taker_.decide(each, verdict::give_back());
            }
        } else if (step.listens && !source_.empty()) {
            // it is woken at once
        } else if (!deciding_.empty() && decided_at_ <= step.until) { // the newest first, so that they end out of order
            now_ = std::max(now_, decided_at_);
            decided_at_ = now_ + decision;
            auto which = deciding_.back();
            deciding_.pop_back();
            bool fails = failing_.contains(which->message) && !failed_.contains(which->message);
            taker_.decide(which, fails ? verdict::again("not yet") : verdict::done());
        } else {
            now_ = std::max(now_, std::min(step.until, now_ + std::chrono::seconds{1}));
        }
        taker_.rested(step.listens);
    }

    // ---- what else happens

    // When errands are due, as an answer tells it.
    void note_dates() {
        forward_at_ = delayed_.empty() ? never : delayed_.begin()->first;
        recover_at_ = gone_.empty() ? never : std::max(recover_at_ == never ? start : recover_at_, gone_until_);
    }

    void begin_decisions() {
        for (auto which : taker_.take_begun()) {
            if (taker_.starts(which)) {
                begun.push_back(which->message);
                decided_at_ = deciding_.empty() ? now_ + decision : decided_at_;
                deciding_.push_back(which);
            }
        }
    }

    // By others.
    void recover_hand() {
        source_.insert(source_.begin(), hand_.begin(), hand_.end());
        hand_.clear();
        lease_ = 0;
    }

    void lose() {
        taker_.lost_lease();
        for (auto each : std::exchange(deciding_, {})) { // whoever worked at them says so, too late
            taker_.decide(each, verdict::done());
        }
    }

    std::vector<std::string>::iterator place_of(const std::string& name) {
        return std::ranges::find_if(
            hand_, [&name](const auto& each) { return store::is_large(each) && store::name_of_large(each) == name; });
    }
    std::int64_t failures_of(const std::string& message) const { return failed_.contains(message) ? 1 : 0; }

    work work_;
    bool unreadable_;
    taker taker_;
    std::vector<std::string> all_;
    const std::vector<std::string> of_the_dead_{"left", "behind"};
    std::set<std::string> failing_; // the first time that they are decided

    // The server.
    std::deque<std::string> source_;                 // the next is in front
    std::vector<std::string> hand_;                  // oldest first
    std::vector<std::string> gone_;                  // in the hand of a dead consumer
    std::multimap<time_point, std::string> delayed_; // by the end of their delays
    std::set<std::string> failed_;                   // that it knows to have failed
    time_point gone_until_ = start + std::chrono::milliseconds{700};
    std::int64_t lease_ = 0;
    time_point lease_until_;
    std::int64_t last_id_ = 0;
    std::int64_t call_ = 0;
    std::int64_t last_ = 0;

    // Beside the taker.
    std::vector<hand::entry> deciding_;
    time_point decided_at_;
    time_point recover_at_ = start;
    time_point forward_at_ = never;
    std::uint64_t epoch_ = 1;
    fault fault_ = fault::none;
    time_point now_ = start;
};

} // namespace leat::taking
