#include "taking/message_calls.hpp"

#include "base/point.hpp"

namespace leat::taking {

using clock = taker::clock;

namespace {

taker::loss loss_of(const redis::failure& failed) {
    return failed.outcome_unknown                            ? taker::loss::answer_lost
           : failed.kind == redis::error_class::pause_intake ? taker::loss::refused_by_full_server
                                                             : taker::loss::refused;
}

// What `take` and `settle` say alike.
template <class Outcome>
taker::answer answer_of(Outcome& outcome, clock::time_point sent) {
    taker::answer made;
    made.in_turn = outcome.state == store::numbered_call::done;
    made.left = outcome.left;
    made.largest = outcome.largest;
    made.waits = outcome.waits;
    made.sent = sent;
    made.came = clock::now();
    made.messages.reserve(outcome.messages.size());
    for (std::size_t i = 0; i < outcome.messages.size(); ++i) {
        auto failures = i < outcome.failures.size() ? outcome.failures[i] : 0;
        made.messages.push_back({std::move(outcome.messages[i]), failures, {}});
    }
    return made;
}

} // namespace

// What `take` and `settle` are told alike.
template <class Call>
Call message_calls::begin_call(std::int64_t most) const {
    Call made{.keys = ours_.keys};
    made.source = ours_.what.in;
    made.id = ours_.decides.id();
    made.token = ours_.token();
    made.call = ours_.decides.next_call();
    made.lease_time = ours_.lease_time();
    made.max_count = most;
    made.max_bytes = static_cast<std::int64_t>(ours_.decides.call_bytes());
    made.largest = ours_.decides.largest();
    made.cleared_suspect = ours_.decides.cleared_suspect();
    made.max_suspect_failures = ours_.decides.max_suspect_failures();
    return made;
}

// When other agents are needed next.
template <class Outcome>
void message_calls::note_dates(const Outcome& outcome) {
    if (outcome.state == store::numbered_call::done) {
        if (outcome.next_lease >= 0) {
            dead_.due_in(std::chrono::milliseconds{outcome.next_lease});
        }
        delayed_.due_in(outcome.next_delayed);
    }
}

called message_calls::take(std::int64_t most) {
    auto given = begin_call<store::take_call>(most);
    base::reached("before_take");
    auto sent = clock::now();
    auto outcome = co_await store::take(ours_.link(), std::move(given));
    if (!outcome) {
        ours_.decides.take_failed(loss_of(outcome.error()), clock::now());
        co_return outcome.error();
    }
    if (outcome->state == store::numbered_call::lease_lost) {
        co_return came_of::lease_lost;
    }
    note_dates(*outcome);
    ours_.decides.took(answer_of(*outcome, sent), most);
    base::reached("after_take");
    co_return came_of::done;
}

store::settle_call message_calls::settlement(std::int64_t most, clock::time_point sent) {
    auto made = begin_call<store::settle_call>(most);
    made.dead = ours_.what.dead;
    made.max_deliveries = ours_.what.max_deliveries;
    made.service = ours_.counts.service();
    made.reports = ours_.counts.reports();
    made.metrics = ours_.counts.metrics_here();
    if (!made.metrics.empty()) {
        made.tracked = ours_.counts.messages();
        made.times = write_times(ours_.decides.chosen(), sent, ours_.what.allowed);
    }
    chance_now_ = chance_(random_);
    write_verdicts(ours_.decides.chosen(), ours_.what.pauses, chance_now_, made);
    return made;
}

called message_calls::settle(std::int64_t most) {
    auto sent = clock::now();
    auto given = settlement(most, sent);
    base::reached("before_settle");
    auto outcome = co_await store::settle(ours_.link(), std::move(given));
    base::reached("after_settle");
    if (!outcome) {
        ours_.decides.settle_failed(loss_of(outcome.error()), ours_.link().connected(), most, clock::now());
        co_return outcome.error();
    }
    if (outcome->state == store::numbered_call::lease_lost) {
        co_return came_of::lease_lost;
    }
    // Where nothing could be taken, nothing shows that it can be; a renewal shows nothing of results that wait.
    bool says_nothing = outcome->source_wrong || (most == 0 && ours_.decides.is_closed(clock::now())) ||
                        (ours_.decides.chosen().which.empty() && ours_.decides.can_acknowledge());
    settled(*outcome, most, sent);
    co_return says_nothing ? came_of::nothing : came_of::done;
}

void message_calls::settled(store::settle_outcome& outcome, std::int64_t most, clock::time_point sent) {
    note_dates(outcome);
    if (outcome.state == store::numbered_call::done) {
        ours_.counts.took(ours_.decides.chosen(), sent);
        failures_.acknowledged(ours_.decides.chosen(), chance_now_);
    }
    auto answer = answer_of(outcome, sent);
    answer.missing = outcome.missing;
    answer.source_wrong = outcome.source_wrong;
    auto counted = ours_.decides.settled(std::move(answer), most);
    counted.dead = outcome.buried;
    ours_.counts.settled(counted);
    base::reached("after_take");
    if (outcome.missing > 0) {
        ours_.log->warn(
            "messages were not in flight with us any more, somebody has changed the list hand={} messages={}",
            ours_.keys.hand(ours_.decides.id()), outcome.missing);
    }
}

} // namespace leat::taking
