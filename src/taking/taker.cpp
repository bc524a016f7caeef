#include "taking/taker.hpp"

#include <algorithm>
#include <utility>

namespace leat::taking {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t most_settled = 1000;          // by one call
constexpr std::size_t most_settled_bytes = 4 << 20; // likewise, but for a single huge one
constexpr std::int64_t most_taken = 1000;           // likewise
constexpr std::size_t most_bytes = 1 << 20;         // likewise, but for a single huge message
constexpr auto turn_of_recovery = 200ms;            // then other work has its turn

} // namespace

taker::taker(const work& what)
    : work_{what}
    , bounds_{what}
    , unread_{what.in_order, patience_with_losses()}
    , settled_{most_settled_bytes}
    , taken_{most_bytes} {
}

// How often a single message may cost the connection: whatever is configured, a restart of Redis is no proof.
std::int64_t taker::patience_with_losses() const {
    return std::max<std::int64_t>(work_.max_deliveries, 3);
}

// A message that waits for others has done its worst when it has begun. The last tries are alone all the same, so that
// it is known who kills.
std::int64_t taker::max_suspect_failures() const {
    return work_.decide ? work_.max_deliveries - 2 : 0;
}

// ---- what is next

bool taker::is_over(const connection& at, clock::time_point now) const {
    bool refused = hold_back_ && is_out_of_patience(now); // what is done cannot be written down
    bool is_left =
        unread_.holds_up_others() && hand_.size() == hand_.going_back(); // it goes back with the lease, in order
    return stopped_at_ && (((hand_.empty() || is_left) && !uncertain_) || at.ended || refused);
}

taker::step taker::next(const connection& at, const errands& others, clock::time_point now) {
    if (is_over(at, now)) {
        return {action::end};
    }
    if (!checked_) {
        return {action::check};
    }
    if (id_ == 0) {
        return {action::open};
    }
    if (uncertain_ || at.epoch != epoch_) {
        return {action::look};
    }
    if (in_vain_ > 0 && !stopped_at_) { // a call that only takes says why
        return {action::take, std::exchange(in_vain_, 0)};
    }
    if (now >= renew_at_) { // first of all, lest others take over
        return call(now);
    }
    if (auto other = errand(others, now)) {
        return *other;
    }
    if (is_call_due(now)) {
        return call(now);
    }
    return rest(others, now);
}

// Recovered messages go before later ones, so recovery comes first; when it takes long, other work has its turn.
bool taker::is_turn_of_others(const errands& others, clock::time_point now) {
    return others_since_ && now - *others_since_ >= turn_of_recovery && (now >= others.forward || is_call_due(now));
}

std::optional<taker::step> taker::errand(const errands& others, clock::time_point now) {
    if (stopped_at_) {
        return std::nullopt;
    }
    if (now >= others.recover && !is_turn_of_others(others, now)) {
        others_since_ = others_since_.value_or(now);
        return step{action::recover};
    }
    others_since_.reset();
    if (now >= others.forward) {
        return step{action::forward};
    }
    if (now >= unread_.due()) {
        bool has_text = unread_.first().name.empty();
        return step{has_text ? action::begin : unread_.first_is_given_up() ? action::bury : action::fetch};
    }
    return std::nullopt;
}

bool taker::may_take(clock::time_point now) const {
    return !stopped_at_ && now >= closed_until_ && !unread_.holds_up_others();
}

// What is in flight, or next, must be alone.
bool taker::is_blocked(std::size_t gone) const {
    return waits_ && hand_.size() + unread_.size() > gone && cleared_suspect_.empty();
}

// How many more may be in flight when so many are gone.
std::int64_t taker::room(std::size_t gone) const {
    auto free = work_.concurrency - static_cast<std::int64_t>(hand_.size() - gone);
    bool full =
        hand_.bytes() >= work_.max_bytes_in_flight || static_cast<std::int64_t>(unread_.size()) >= work_.concurrency;
    return full ? 0 : std::clamp<std::int64_t>(free, 0, most_taken);
}

bool taker::is_call_due(clock::time_point now) const {
    return can_acknowledge() || now >= renew_at_ || (wants_ && would_take(now));
}

// Acknowledging frees memory, so it is never refused. Taking on top of it is safe for a kind that pushes nothing;
// others look every second, by a call that a full Redis refuses, whether there is room for what they push. A renewal
// that is due is never such a call. Nothing is given back before what was taken behind it has been read: that goes back
// with it, or it would be the first to go on.
taker::step taker::call(clock::time_point now) {
    auto count = hold_back_ && now >= renew_at_ ? 0 : most_settled;
    chosen_ = hand_.choose(count, settled_.limit(), unread_.holds_up_others());
    auto gone = chosen_.which.size();
    auto most = may_take(now) && !is_blocked(gone) && !chosen_.more_goes_back ? room(gone) : 0;
    bool frees = !work_.pushes;
    if (gone == 0 && most > 0 && !frees && now < renew_at_) {
        return {action::take, most};
    }
    return {gone == 0 && now >= renew_at_ ? action::renew : action::settle, frees || now - took_at_ < 1s ? most : 0};
}

taker::step taker::rest(const errands& others, clock::time_point now) const {
    auto until = renew_at_;
    if (stopped_at_) {
        auto enough = *stopped_at_ + work_.patience;
        until = now < enough ? std::min(until, enough) : until;
    } else {
        until = std::min({until, others.recover, others.forward, unread_.due()});
        until = closed_until_ > now ? std::min(until, closed_until_) : until;
    }
    return {action::rest, 0, until, would_take(now)};
}

} // namespace leat::taking
