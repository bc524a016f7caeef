#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace leat::cli {

// What the demo shows at one moment.
struct demo_view {
    std::int64_t sent = 0;
    std::int64_t in = 0;
    std::vector<std::int64_t> outs;
    std::vector<std::string> replicas; // "pid 4711", "killed"
    bool redis = true;
};

// A block that is redrawn in place on a terminal; a line every second elsewhere. Events scroll by above it.
class demo_screen {
public:
    demo_screen();

    void event(const std::string& text);
    void show(const demo_view& view);
    void finish();

private:
    double seconds() const;
    void erase_block();

    bool terminal_;
    std::chrono::steady_clock::time_point began_;
    std::chrono::steady_clock::time_point last_shown_;
    demo_view last_;
    int block_lines_ = 0;
};

} // namespace leat::cli
