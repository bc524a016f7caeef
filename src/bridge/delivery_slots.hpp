#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace leat::bridge {

// How many deliveries are on their way to clients, as far as this instance can know: the outcome of one that it has
// made may be brought to another instance, as that brings others to this one. So any outcome frees a slot, and none is
// held for longer than a lease.
class delivery_slots {
public:
    using clock = std::chrono::steady_clock;

    delivery_slots(std::int64_t most, clock::duration lease)
        : most_{most}
        , lease_{lease} {}

    void take(std::int64_t count, clock::time_point now) {
        if (count > 0) {
            taken_.emplace_back(now + lease_, count);
            held_ += count;
        }
    }
    void free(std::int64_t count) {
        while (count > 0 && !taken_.empty()) {
            auto some = std::min(count, taken_.front().second);
            taken_.front().second -= some;
            held_ -= some;
            count -= some;
            if (taken_.front().second == 0) {
                taken_.pop_front();
            }
        }
    }
    std::int64_t room(clock::time_point now) {
        while (!taken_.empty() && taken_.front().first <= now) {
            held_ -= taken_.front().second;
            taken_.pop_front();
        }
        return std::max<std::int64_t>(0, most_ - held_);
    }
    std::int64_t held() const { return held_; }
    // When time alone makes room.
    std::optional<clock::time_point> next_release() const {
        return taken_.empty() ? std::nullopt : std::optional{taken_.front().first};
    }

private:
    std::int64_t most_;
    clock::duration lease_;
    std::deque<std::pair<clock::time_point, std::int64_t>> taken_; // until when, how many
    std::int64_t held_ = 0;
};

} // namespace leat::bridge
