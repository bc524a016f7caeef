#pragma once

#include "base/log.hpp"
#include "taking/hand.hpp"
#include "taking/work.hpp"

#include <chrono>
#include <cstdint>

namespace leat::taking {

// How many lines may be logged: some in each second. What does not fit is counted, and the count is logged with the
// next line that fits. Pure: the time is told.
class line_budget {
public:
    using clock = std::chrono::steady_clock;

    explicit line_budget(std::int64_t most)
        : most_{most} {}

    bool admits(clock::time_point now);
    // How many did not fit in seconds that are over; they are forgotten with that.
    std::int64_t take_missed(clock::time_point now);

private:
    void begin_second(clock::time_point now);

    std::int64_t most_;
    clock::time_point began_;
    std::int64_t admitted_ = 0;
    std::int64_t missed_ = 0;
};

// Logs each message that failed: one line when it will be retried, one when it is given up. Owned by those who
// acknowledge; `what` must outlive it.
class failure_lines {
public:
    failure_lines(const work& what, base::log_ptr log)
        : work_{what}
        , log_{std::move(log)} {}

    // What an acknowledgement said, with the `chance` that its pauses were made with.
    void acknowledged(const hand::choice& chosen, double chance);
    // Says how many were not logged.
    void flush();

private:
    void failed(const hand::held& one, double chance);

    const work& work_;
    base::log_ptr log_;
    line_budget budget_{10};
};

} // namespace leat::taking
