#include "cli/demo/board.hpp"

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace leat::cli {

using std::chrono::steady_clock;

demo_board::demo_board(std::string title)
    : title_{std::move(title)}
    , began_{steady_clock::now()} {
    if (::isatty(STDOUT_FILENO) == 1) {
        screen_.emplace();
    }
}

double demo_board::seconds() const {
    return std::chrono::duration<double>{steady_clock::now() - began_}.count();
}

void demo_board::event(const std::string& text) {
    auto line = fmt::format("{:5.1f} s  {}", seconds(), text);
    if (screen_) {
        events_.push_back(std::move(line));
        return;
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
}

void demo_board::draw(std::vector<std::string> picture) {
    if (!screen_) {
        return;
    }
    picture_ = std::move(picture);
    std::vector<std::string> page{fmt::format("{}  {:.1f} s  (Ctrl-C ends it)", title_, seconds()), ""};
    page.insert(page.end(), picture_.begin(), picture_.end());
    page.emplace_back();
    auto room = live_screen::now();
    auto left = room.lines > page.size() ? room.lines - page.size() : 0;
    auto shown = std::min(left, events_.size());
    page.insert(page.end(), events_.end() - static_cast<std::ptrdiff_t>(shown), events_.end());
    screen_->draw(std::move(page));
}

void demo_board::close() {
    if (!screen_) {
        return;
    }
    screen_.reset();
    for (const auto& each : events_) {
        fmt::print("{}\n", each);
    }
    fmt::print("\n");
    for (const auto& each : picture_) {
        fmt::print("{}\n", each);
    }
    std::fflush(stdout);
}

} // namespace leat::cli
