#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace leat::routing {

// So many in a period of fixed length, counted from the first; what was refused counts, too. A period of 0 never ends.
class fixed_window {
public:
    using clock = std::chrono::steady_clock;
    fixed_window(std::int64_t limit, std::chrono::milliseconds period)
        : limit_{limit}
        , period_{period} {}

    bool admit(clock::time_point now) {
        if (count_ == 0) {
            began_ = now;
        } else if (period_.count() > 0 && now - began_ >= period_) {
            began_ += (now - began_) / period_ * clock::duration{period_};
            count_ = 0;
        }
        return ++count_ <= limit_;
    }

private:
    std::int64_t limit_;
    std::chrono::milliseconds period_;
    std::int64_t count_ = 0;
    clock::time_point began_;
};

// `limit` tokens come in a period, evenly; at most `burst` are kept. What is refused takes none.
class token_bucket {
public:
    using clock = std::chrono::steady_clock;
    token_bucket(std::int64_t limit, std::chrono::milliseconds period, std::int64_t burst)
        : per_tick_{static_cast<double>(limit) / static_cast<double>(clock::duration{period}.count())}
        , burst_{static_cast<double>(burst)}
        , tokens_{burst_} {}

    bool admit(clock::time_point now) {
        if (seen_ != clock::time_point{}) {
            tokens_ = std::min(burst_, tokens_ + static_cast<double>((now - seen_).count()) * per_tick_);
        }
        seen_ = now;
        if (tokens_ < 1) {
            return false;
        }
        tokens_ -= 1;
        return true;
    }

private:
    double per_tick_;
    double burst_;
    double tokens_;
    clock::time_point seen_;
};

} // namespace leat::routing
