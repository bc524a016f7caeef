#include "movers/mover.hpp"

#include <algorithm>
#include <utility>

namespace leat::movers {

using namespace std::chrono_literals;

namespace {

// Each transfer on the way may hold a message that waits to be tracked on another server.
constexpr std::int64_t most_bytes_to_track = 16 << 20;

} // namespace

mover::step mover::next(std::size_t lanes) const {
    if (stopped_) {
        return {action::end};
    }
    if (after_.is != action::transfer) { // one wait, then everything else
        return after_;
    }
    if (!checked_) {
        return {action::check};
    }
    if (must_return()) { // lanes would take the newer before the older is back
        return {lanes > 0 ? action::await_lanes : action::return_pending};
    }
    if (has_pending_ && !looked_) {
        return {action::look_at_pending};
    }
    return {action::transfer};
}

mover::step mover::step_after(const moved_batch& batch) {
    if (batch.full > 0) {
        return {action::await_room, static_cast<std::size_t>(batch.full) - 1};
    }
    if (batch.no_room) {
        return {action::await_tracking};
    }
    return {batch.left > 0 ? action::transfer : action::await_message};
}

void mover::returned(std::int64_t messages, std::int64_t left) {
    looked_ = true;
    returned_ += messages;
    if (left == 0) {
        alone_ = false; // until the next heartbeat
    }
}

std::int64_t mover::take_returned() {
    return alone_ && !stopped_ ? 0 : std::exchange(returned_, 0);
}

void mover::moved(const moved_batch& batch) {
    after_ = step_after(batch);
}

mover::flight mover::begin(clock::time_point now) {
    ++in_flight_;
    next_slot_ = std::max(now, next_slot_ + window_.spacing());
    return {next_slot_, in_flight_};
}

void mover::land(const flight& one, const std::optional<moved_batch>& batch, clock::duration took) {
    --in_flight_;
    if (!batch) {
        return;
    }
    totals_.moved += static_cast<std::uint64_t>(batch->moved);
    totals_.batches += batch->moved > 0 ? 1 : 0;
    tracks_ = batch->tracked > 0 || (may_track_ && batch->moved == 0); // beyond its capacity it costs little
    largest_ = std::max(batch->largest, largest_ - largest_ / 8);      // forgotten slowly: large ones come in company
    if (batch->left > 0) {
        window_.answered(took, std::chrono::microseconds{batch->spent}, one.together);
    }
}

bool mover::wants_lane(const moved_batch& last, std::size_t lanes) const {
    auto taken = static_cast<std::int64_t>(lanes) * last.moved;
    bool is_more = step_after(last).is == action::transfer && last.moved > 0 && last.left > taken;
    bool has_room = !tracks_ || static_cast<std::int64_t>(lanes) * largest_ < most_bytes_to_track;
    return is_more && has_room && static_cast<int>(lanes) < window_.size();
}

bool mover::lane_goes_on(const std::optional<moved_batch>& last, std::size_t lanes) const {
    return !stopped_ && !must_return() && last && wants_lane(*last, lanes);
}

bool mover::waits_for_room(clock::time_point now) {
    ++totals_.full_waits;
    if (told_full_ && now - *told_full_ <= 10s) {
        return false;
    }
    told_full_ = now;
    return true;
}

} // namespace leat::movers
