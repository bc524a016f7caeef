#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace leat::taking {

// How large a call may be. A server that closes a connection over a large call (its limits of clients' buffers may be
// small) is asked with smaller ones, down to single messages, and after a while with larger ones again. Pure.
class call_size {
public:
    using clock = std::chrono::steady_clock;
    static constexpr std::size_t smallest = 65'536;

    explicit call_size(std::size_t largest)
        : largest_{largest}
        , limit_{largest} {}

    std::size_t limit() const { return limit_; }
    // The connection was lost with a call of so many bytes.
    void lost(std::size_t bytes, clock::time_point now) {
        if (bytes >= smallest) {
            limit_ = std::clamp(bytes / 2, smallest, limit_);
            changed_ = now;
        }
    }
    void went_well(clock::time_point now) {
        if (limit_ < largest_ && now - changed_ >= std::chrono::seconds{30}) {
            limit_ = std::min(largest_, limit_ * 2);
            changed_ = now;
        }
    }

private:
    std::size_t largest_;
    std::size_t limit_;
    clock::time_point changed_;
};

} // namespace leat::taking
