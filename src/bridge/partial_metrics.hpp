#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace leat::bridge {

// What an instance has done since the last line of its log: for looking at how the queue behaves under load.
class partial_metrics {
public:
    using clock = std::chrono::steady_clock;

    // A message of a queue was answered by Redis after this time.
    void took(clock::duration time) {
        ++calls_;
        sum_ += time;
        longest_ = std::max(longest_, time);
    }

    struct partial {
        std::int64_t calls = 0;
        double mean = 0; // milliseconds
        double longest = 0;
    };
    partial take() {
        using ms = std::chrono::duration<double, std::milli>;
        partial made{calls_, calls_ == 0 ? 0 : ms{sum_}.count() / static_cast<double>(calls_), ms{longest_}.count()};
        calls_ = 0;
        sum_ = longest_ = {};
        return made;
    }

private:
    std::int64_t calls_ = 0;
    clock::duration sum_{};
    clock::duration longest_{};
};

} // namespace leat::bridge
