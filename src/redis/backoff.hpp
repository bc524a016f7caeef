#pragma once

#include <chrono>
#include <random>

namespace leat::redis {

// How long to wait before the next try: doubled each time up to a limit, then a random part of it taken away, so that
// many services that lost the same server do not come back in step.
class backoff {
public:
    using duration = std::chrono::milliseconds;

    explicit backoff(duration first = duration{50}, duration longest = duration{5000});

    duration next();
    void reset() { step_ = first_; }

private:
    duration first_;
    duration longest_;
    duration step_;
    std::minstd_rand random_;
};

} // namespace leat::redis
