#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

// What the mpush demo shows at one moment.
struct mpush_view {
    std::int64_t sent = 0;
    std::int64_t in = 0;
    std::vector<std::int64_t> outs;
    std::vector<std::string> replicas; // "pid 4711", "killed"
    bool redis = true;
};

// Makes pictures of it, with the rates since the last: several lines for a page, one line else.
class mpush_picture {
public:
    using clock = std::chrono::steady_clock;

    explicit mpush_picture(bool page)
        : page_{page} {}

    // Nothing when the last was made just now.
    std::optional<std::vector<std::string>> take(const mpush_view& view, clock::time_point now);

private:
    std::vector<std::string> lines_of(const mpush_view& view, double passed) const;

    bool page_;
    std::optional<clock::time_point> last_taken_;
    mpush_view last_;
};

} // namespace leat::cli
