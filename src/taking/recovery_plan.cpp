#include "taking/recovery_plan.hpp"

#include <algorithm>

namespace leat::taking {

using namespace std::chrono_literals;

namespace {
constexpr auto grace = 5s; // after a reconnect: the others may need as long as we did to come back
constexpr std::int64_t most_listed = 10'000;
constexpr std::size_t portion = 100; // of those who are gone
} // namespace

void recovery_plan::begin(clock::time_point now) {
    at_ = now;
    more_ = false;
    looked_at_ = 0;
    gone_.clear();
}

recovery_plan::clock::time_point recovery_plan::due(std::optional<clock::time_point> reconnected_at) const {
    auto calm = reconnected_at ? *reconnected_at + grace : clock::time_point{};
    return std::max({at_, calm, done_at_ + 1s});
}

void recovery_plan::next_lease_ends(clock::time_point now, std::chrono::milliseconds in) {
    if (!more_) {
        at_ = now + in;
    }
}

std::vector<store::gone_taker> recovery_plan::named() {
    // To forget some would move the pages that are still to be listed.
    named_ = looked_at_ ? 0 : std::min(gone_.size(), portion);
    return {gone_.begin(), gone_.begin() + static_cast<std::ptrdiff_t>(named_)};
}

void recovery_plan::recovered(bool more) {
    more_ = more;
    if (!more_) { // else they are named once more
        gone_.erase(gone_.begin(), gone_.begin() + static_cast<std::ptrdiff_t>(std::min(named_, gone_.size())));
    }
}

std::optional<std::int64_t> recovery_plan::page() const {
    return more_ ? std::nullopt : looked_at_;
}

void recovery_plan::listed(std::optional<std::vector<store::gone_taker>> gone, std::int64_t all) {
    if (!gone) {
        looked_at_.reset();
        return;
    }
    gone_.insert(gone_.end(), gone->begin(), gone->end());
    looked_at_ = looked_at_.value_or(0) + page_length;
    if (*looked_at_ >= std::min(all, most_listed)) {
        looked_at_.reset();
    }
}

void recovery_plan::ended(clock::time_point now) {
    more_ = more_ || looked_at_ || !gone_.empty();
    done_at_ = more_ ? clock::time_point{} : now;
    at_ = more_ ? now : now + std::chrono::milliseconds{lease_} / 3;
}

void recovery_plan::failed(clock::time_point now) {
    at_ = now;
    done_at_ = now; // a lease that has ended does not make it due sooner than after a pause
}

} // namespace leat::taking
