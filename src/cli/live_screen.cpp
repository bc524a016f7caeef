#include "cli/live_screen.hpp"

#include "cli/table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <string_view>

namespace leat::cli {
namespace {

void send(std::string_view text) {
    while (!text.empty()) {
        auto written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written <= 0) {
            return;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace

live_screen::live_screen() {
    if (::tcgetattr(STDIN_FILENO, &before_) == 0) {
        auto raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO); // a key at a time
        keys_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    }
    send("\x1b[?1049h\x1b[?25l\x1b[2J"); // the other page, no cursor, empty
}

live_screen::~live_screen() {
    send("\x1b[?25h\x1b[?1049l");
    if (keys_) {
        ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
}

live_screen::size live_screen::now() {
    winsize found{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) != 0 || found.ws_col == 0 || found.ws_row == 0) {
        return {};
    }
    return {found.ws_col, found.ws_row};
}

void live_screen::draw(std::vector<std::string> lines) {
    auto room = now();
    std::string out;
    if (room.columns != drawn_for_.columns || room.lines != drawn_for_.lines) {
        out += "\x1b[2J";
        shown_.clear();
        drawn_for_ = room;
    }
    lines.resize(room.lines);
    shown_.resize(room.lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        lines[i] = cut(lines[i], room.columns);
        if (lines[i] != shown_[i]) {
            out += "\x1b[" + std::to_string(i + 1) + ";1H" + lines[i] + "\x1b[K";
        }
    }
    send(out);
    shown_ = std::move(lines);
}

} // namespace leat::cli
