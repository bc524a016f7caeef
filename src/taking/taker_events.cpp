// What happened, as the taker hears it: of the lease, of calls, of messages. What it makes of it stands in taker.cpp.
#include "redis/digest.hpp"
#include "store/settlement.hpp"
#include "taking/taker.hpp"

#include <algorithm>
#include <utility>

namespace leat::taking {

using namespace std::chrono_literals;

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
        bool dead = is_given_up(*each, work_.max_deliveries);
        seen.retry += each->decided->is == verdict::type::again && !dead ? 1 : 0;
        seen.dead += dead ? 1 : 0;
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
    cleared_suspect_.clear();
    renew_at_ = given.sent + std::chrono::milliseconds{work_.lease} / 3;
    wants_ = most > 0 ? given.left > 0 : wants_ || gone > 0;
    waits_ = most > 0 ? given.waits : waits_;
    largest_ = std::max(given.largest, largest_ - largest_ / 8);
    begun_.reserve(begun_.size() + given.messages.size());
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

void taker::begin(hand::seen&& one, clock::time_point now) {
    begun_.push_back(hand_.add(std::move(one.message), one.failures + 1, now));
}

std::vector<hand::entry> taker::take_begun() {
    return std::exchange(begun_, {});
}

bool taker::starts(hand::entry which) {
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

void taker::decide(hand::entry which, verdict how) {
    bounds_.bound(which->message, how);
    hand_.decide(which, std::move(how));
}

void taker::has_begun(hand::entry which) {
    if (waits_ && which->delivery - 1 < max_suspect_failures()) {
        cleared_suspect_ = redis::sha1_hex(which->message);
        wants_ = true;
    }
}

void taker::stop(clock::time_point now) {
    stopped_at_ = stopped_at_.value_or(now);
}

} // namespace leat::taking
