#pragma once

#include "cli/live_screen.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

// What a demo shows: on a terminal a page with a picture and the last events below, else lines as they come. `close`
// leaves the page and prints what was on it, so that it can be read again.
class demo_board {
public:
    explicit demo_board(std::string title);

    void event(const std::string& text);
    // On a page only.
    void draw(std::vector<std::string> picture);
    void close();
    bool is_page() const { return screen_.has_value(); }
    static std::size_t columns() { return live_screen::now().columns; }

private:
    double seconds() const;

    std::string title_;
    std::chrono::steady_clock::time_point began_;
    std::optional<live_screen> screen_;
    std::vector<std::string> events_;
    std::vector<std::string> picture_; // the last
};

} // namespace leat::cli
