#include "taking/taker.hpp"

#include "redis/digest.hpp"
#include "store/settlement.hpp"

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
std::int64_t taker::bold() const {
    return work_.decide ? work_.max_deliveries - 2 : 0;
}

// ---- what is next

bool taker::is_over(const connection& at, clock::time_point now) const {
    bool refused = hold_back_ && gives_up(now); // what is done cannot be written down
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
    return waits_ && hand_.size() + unread_.size() > gone && acquitted_.empty();
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

// ---- the lease

void taker::opened(std::int64_t id, lease_proof_ptr lease, std::uint64_t epoch, clock::time_point now) {
    id_ = id;
    lease_ = std::move(lease);
    call_ = 0;
    epoch_ = epoch;
    renew_at_ = now + std::chrono::milliseconds{work_.lease} / 3;
    wants_ = true;
}

std::size_t taker::lost_lease() {
    auto lost = hand_.size() + unread_.size();
    hand_.lose_all();
    unread_.clear();
    begun_.clear();
    chosen_ = {};
    uncertain_ = false;
    in_vain_ = 0;
    id_ = 0;
    return lost;
}

taker::looked_at taker::looked(in_flight seen, std::uint64_t epoch, clock::time_point now) {
    looked_at made;
    if (uncertain_ && seen.last == call_ + 1) { // it was done, only its answer was lost
        count_chosen();
        hand_.settled(chosen_);
    } else if (uncertain_) {
        made.given_up = give_up_what_costs_connections();
    }
    call_ = seen.fence;
    uncertain_ = false;
    chosen_ = {};
    epoch_ = epoch;
    for (auto& each : unread_.replace(hand_.reconcile(std::move(seen.messages)), now)) {
        begin(std::move(each), now);
    }
    wants_ = true;
    return made;
}

void taker::look_failed(bool answer_lost, clock::time_point now) {
    if (answer_lost) {
        taken_.lost(taken_.limit(), now);
    }
}

// ---- calls

taker::counts taker::count_chosen() {
    counts seen;
    for (auto each : chosen_.which) {
        seen.done += each->decided->is == verdict::type::done ? 1 : 0;
        seen.retry += each->decided->is == verdict::type::again ? 1 : 0;
        seen.dead += each->decided->is == verdict::type::dead ? 1 : 0;
    }
    totals_.done += seen.done;
    totals_.retry += seen.retry;
    totals_.dead += seen.dead;
    return seen;
}

void taker::took(answer given, std::int64_t most) {
    took_at_ = given.sent;
    call_answered(given, most);
}

taker::counts taker::settled(answer given, std::int64_t most) {
    counts seen;
    hold_back_ = false;
    if (given.in_turn) {
        seen = count_chosen();
        hand_.settled(chosen_);
    }
    call_answered(given, most);
    uncertain_ = uncertain_ || given.missing > 0; // somebody has changed what is in flight: look
    in_vain_ = given.source_wrong ? most : 0;
    took_at_ = given.source_wrong ? clock::time_point{} : took_at_;
    return seen;
}

void taker::call_answered(answer& given, std::int64_t most) {
    auto gone = chosen_.which.size();
    chosen_ = {};
    if (!given.in_turn) {
        uncertain_ = true;
        return;
    }
    ++call_;
    settled_.went_well(given.sent);
    taken_.went_well(given.sent);
    acquitted_.clear();
    renew_at_ = given.sent + std::chrono::milliseconds{work_.lease} / 3;
    wants_ = most > 0 ? given.left > 0 : wants_ || gone > 0;
    waits_ = most > 0 ? given.waits : waits_;
    largest_ = std::max(given.largest, largest_ - largest_ / 8);
    for (auto& each : given.messages) {
        begin(std::move(each), given.came);
    }
}

void taker::take_failed(loss how, clock::time_point now) {
    if (how == loss::answer_lost) {
        lost_a_call(true, now);
    }
    call_failed(how, now);
}

void taker::settle_failed(loss how, bool reached, std::int64_t most, clock::time_point now) {
    hold_back_ = !chosen_.which.empty() && how != loss::answer_lost;
    if (hold_back_ && reached) { // whatever it is, it is not too large
        chosen_.which.front()->breaks = 0;
    }
    if (how == loss::answer_lost) {
        lost_a_call(most > 0, now);
    }
    call_failed(how, now);
}

// What was chosen is in flight as before, unless the answer got lost: then nobody knows.
void taker::call_failed(loss how, clock::time_point now) {
    uncertain_ = how == loss::answer_lost;
    if (how == loss::refused_by_full_server) {
        closed_until_ = now + 1s;
    }
}

// Perhaps because it was too large for the server's buffers. A single message that costs the connection again and
// again is given up.
void taker::lost_a_call(bool takes, clock::time_point now) {
    if (takes) {
        taken_.lost(taken_.limit(), now);
    }
    std::size_t bytes = 0;
    for (auto each : chosen_.which) {
        bytes += each->sent();
    }
    if (chosen_.which.size() != 1 || bytes < store::large_message) {
        return settled_.lost(bytes, now);
    }
    ++chosen_.which.front()->breaks;
}

// A message that was acknowledged alone is still in flight, so the call was not done.
std::optional<std::size_t> taker::give_up_what_costs_connections() {
    if (chosen_.which.size() != 1 || chosen_.which.front()->breaks < patience_with_losses()) {
        return std::nullopt;
    }
    auto one = chosen_.which.front();
    auto bytes = one->sent();
    auto reason = "Redis closes the connection when its result, " + std::to_string(bytes) + " bytes, is pushed";
    one->breaks = 0;
    hand_.decide_otherwise(one, bounds_.instead_of(*one->decided, one->message, reason));
    return bytes;
}

// ---- messages

void taker::fetched(std::optional<std::string> message, clock::time_point now) {
    auto one = unread_.take_first();
    if (message) {
        one.message = std::move(*message);
        begin(std::move(one), now);
    }
}

void taker::begin(hand::seen one, clock::time_point now) {
    begun_.push_back(hand_.add(std::move(one.message), one.failures + 1, now));
}

std::vector<hand::place> taker::take_begun() {
    return std::exchange(begun_, {});
}

bool taker::starts(hand::place which) {
    if (auto refused = bounds_.refuse(which->message)) {
        hand_.decide(which, std::move(*refused));
        return false;
    }
    if (hand_.going_back() > 0) { // older ones go back: it stays behind them
        hand_.decide(which, verdict::give_back());
        return false;
    }
    return true;
}

void taker::decide(hand::place which, verdict how) {
    hand_.decide(which, bounds_.bounded(which->message, std::move(how)));
}

void taker::has_begun(hand::place which) {
    if (waits_ && which->delivery - 1 < bold()) {
        acquitted_ = redis::sha1_hex(which->message);
        wants_ = true;
    }
}

void taker::stop(clock::time_point now) {
    stopped_at_ = now;
}

} // namespace leat::taking
