#include "runtime/wait_plan.hpp"

#include <algorithm>

namespace leat::runtime {

bool wait_plan::begin(std::uint64_t changes, clock::time_point now, clock::time_point latest) {
    over_ = std::min(latest, now + tick_);
    if (asked_) {
        return false;
    }
    asked_ = true;
    seen_ = changes;
    return true;
}

void wait_plan::answered(std::optional<std::int64_t> length, clock::time_point now) {
    asked_ = false;
    length_ = length;
    if (!length) {
        over_ = std::min(over_, now + std::chrono::seconds{1});
    }
}

std::optional<wait_plan::clock::duration> wait_plan::sleep(
    std::uint64_t changes, bool called_off, const std::function<bool(std::int64_t)>& enough,
    clock::time_point now) const {
    bool knows = !asked_ && (changes != seen_ || (length_ && enough(*length_)));
    if (called_off || knows || now >= over_) {
        return std::nullopt;
    }
    return over_ - now;
}

} // namespace leat::runtime
