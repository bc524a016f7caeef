#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace leat::cli {

// How far long work is, on standard error: a line that is written over on a terminal, a line every two seconds
// elsewhere. Short work tells nothing.
class progress {
public:
    progress(std::string what, std::int64_t all);
    void at(std::int64_t done);
    void end(); // leaves nothing of the line

private:
    std::string what_;
    std::int64_t all_;
    bool terminal_;
    bool shown_ = false;
    std::chrono::steady_clock::time_point began_;
    std::chrono::steady_clock::time_point next_;
};

} // namespace leat::cli
