#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace leat::runtime {

// Decides for who waits for a length of a list when it is asked for, and when the wait is over. What changes the list
// is counted from before the length is asked, so that a change which overtakes the answer is not missed; one question
// is enough, because the list stays registered until it changes. Pure: `queue_wait` asks, and sleeps.
class wait_plan {
public:
    using clock = std::chrono::steady_clock;

    explicit wait_plan(std::chrono::seconds tick)
        : tick_{tick} {}

    // A wait that lasts no longer than `latest`; so many changes were heard. True: the length is to be asked. Else an
    // answer is on the way that an earlier wait has asked for, and what has changed since then counts.
    bool begin(std::uint64_t changes, clock::time_point now, clock::time_point latest);
    // Nothing: it could not be read. Then a second is long enough.
    void answered(std::optional<std::int64_t> length, clock::time_point now);
    // How long to sleep, unless woken; nothing: the wait is over. `called_off`: to stop, or to do something else.
    // `enough` is asked each time, because who waits may have changed its mind.
    std::optional<clock::duration> sleep(
        std::uint64_t changes, bool called_off, const std::function<bool(std::int64_t)>& enough,
        clock::time_point now) const;

private:
    std::chrono::seconds tick_;
    bool asked_ = false; // and not answered
    std::uint64_t seen_ = 0;
    std::optional<std::int64_t> length_;
    clock::time_point over_; // whatever is heard
};

} // namespace leat::runtime
