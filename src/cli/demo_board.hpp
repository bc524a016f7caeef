#pragma once

#include "cli/demo_lane.hpp"
#include "cli/live_screen.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

// What the bridge's demo shows: on a terminal a page with a lane for each conversation and the last events below, else
// the events alone. `close` leaves the page and prints what was on it, so that it can be read again.
class demo_board {
public:
    explicit demo_board(std::string title);

    void event(const std::string& text);
    void draw(const std::vector<demo_lane>& lanes);
    void close();
    bool is_page() const { return screen_.has_value(); }

private:
    double seconds() const;

    std::string title_;
    std::chrono::steady_clock::time_point began_;
    std::optional<live_screen> screen_;
    std::vector<std::string> events_;
    std::vector<std::string> picture_; // of the lanes, the last
};

} // namespace leat::cli
