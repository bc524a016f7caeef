#pragma once

#include <termios.h>

#include <string>
#include <vector>

namespace leat::cli {

// A screen that is drawn again and again: on a terminal of its own page, which is left as it was found, and only the
// lines that have changed are sent, so that a slow line is enough.
class live_screen {
public:
    live_screen();
    live_screen(const live_screen&) = delete;
    live_screen& operator=(const live_screen&) = delete;
    ~live_screen();

    struct size {
        std::size_t columns = 80;
        std::size_t lines = 24;
    };
    static size now();
    void draw(std::vector<std::string> lines);

private:
    termios before_{};
    bool keys_ = false; // the keyboard was ours to set
    std::vector<std::string> shown_;
    size drawn_for_;
};

} // namespace leat::cli
