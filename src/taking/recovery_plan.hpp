#pragma once

#include "store/scripts.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace leat::taking {

// When a consumer looks after the others, and of whom it tells Redis that they are gone. Pure: time is told. A turn is
// one call that recovers, and perhaps one page of the list of consumers; while there is more to do, the next is due at
// once.
class recovery_plan {
public:
    using clock = std::chrono::steady_clock;

    explicit recovery_plan(std::chrono::seconds lease)
        : lease_{lease} {}

    void begin(clock::time_point now); // we have a lease: look at once, also for those of this machine who are gone
    void next_lease_ends(clock::time_point now, std::chrono::milliseconds in); // of another
    // `reconnected_at`: when the connection was made again; nothing when it is the first.
    clock::time_point due(std::optional<clock::time_point> reconnected_at) const;

    // Who is named as gone in the next call.
    std::vector<store::gone_taker> named();
    void recovered(bool more);
    // From which consumer on the list is to be read next; nothing: it has been.
    std::optional<std::int64_t> page() const;
    static constexpr std::int64_t page_length = 250; // so that Redis is held for a few milliseconds at most
    // A page was read: who is gone, and how many consumers there are at all. Nothing: it could
    // not be read; then their leases have to end.
    void listed(std::optional<std::vector<store::gone_taker>> gone, std::int64_t all);
    void ended(clock::time_point now);
    void failed(clock::time_point now); // the call
    bool more() const { return more_; }

private:
    std::chrono::seconds lease_;
    clock::time_point at_;
    clock::time_point done_at_;
    bool more_ = false;                         // to do
    std::optional<std::int64_t> looked_at_ = 0; // so many consumers were checked for being gone; nothing: all
    std::vector<store::gone_taker> gone_;       // found so
    std::size_t named_ = 0;                     // of them, in the call that is under way
};

} // namespace leat::taking
