#include "cli/progress.hpp"

#include "base/shown.hpp"

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <cstdio>

namespace leat::cli {

using base::grouped;

using std::chrono::steady_clock;
using namespace std::chrono_literals;

progress::progress(std::string what, std::int64_t all)
    : what_{std::move(what)}
    , all_{all}
    , terminal_{::isatty(STDERR_FILENO) == 1}
    , began_{steady_clock::now()}
    , next_{began_ + 500ms} {
}

void progress::at(std::int64_t done) {
    auto now = steady_clock::now();
    if (now < next_) {
        return;
    }
    next_ = now + (terminal_ ? steady_clock::duration{200ms} : 2s);
    auto seconds = std::chrono::duration<double>{now - began_}.count();
    auto line = fmt::format(
        "{} {} of {} ({:.0f} %), {}/s", what_, grouped(done), grouped(all_),
        all_ > 0 ? 100.0 * static_cast<double>(done) / static_cast<double>(all_) : 100.0,
        grouped(static_cast<std::int64_t>(static_cast<double>(done) / seconds)));
    fmt::print(stderr, "{}{}{}", terminal_ ? "\r\x1b[K" : "", line, terminal_ ? "" : "\n");
    std::fflush(stderr);
    shown_ = true;
}

void progress::end() {
    if (terminal_ && shown_) {
        fmt::print(stderr, "\r\x1b[K");
        std::fflush(stderr);
    }
}

} // namespace leat::cli
