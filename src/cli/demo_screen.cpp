#include "cli/demo_screen.hpp"

#include "cli/numbers.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <unistd.h>

#include <cstdio>

namespace leat::cli {

using std::chrono::steady_clock;

demo_screen::demo_screen()
    : terminal_{::isatty(STDOUT_FILENO) == 1}
    , began_{steady_clock::now()} {
}

double demo_screen::seconds() const {
    return std::chrono::duration<double>{steady_clock::now() - began_}.count();
}

void demo_screen::erase_block() {
    if (block_lines_ > 0) {
        fmt::print("\x1b[{}A\x1b[J", block_lines_);
        block_lines_ = 0;
    }
}

void demo_screen::event(const std::string& text) {
    erase_block();
    fmt::print("{:5.1f} s  {}\n", seconds(), text);
    std::fflush(stdout);
}

void demo_screen::show(const demo_view& view) {
    auto now = steady_clock::now();
    std::chrono::duration<double> passed = now - last_shown_;
    if (passed.count() < (terminal_ ? 0.25 : 1.0)) {
        return;
    }
    bool first = last_shown_ == steady_clock::time_point{};
    auto rate = [&](std::int64_t current, std::int64_t before) {
        auto each_second = static_cast<double>(std::max<std::int64_t>(0, current - before)) / passed.count();
        return grouped(first ? 0 : static_cast<std::int64_t>(each_second));
    };
    auto sent_rate = rate(view.sent, last_.sent);
    std::string outs;
    for (std::size_t i = 0; i < view.outs.size(); ++i) {
        auto out_rate = rate(view.outs[i], i < last_.outs.size() ? last_.outs[i] : 0);
        outs += terminal_ ? fmt::format("\n  demo:mpush:out{}  {:>10}   +{}/s", i, grouped(view.outs[i]), out_rate)
                          : fmt::format("  out{} {} (+{}/s)", i, grouped(view.outs[i]), out_rate);
    }
    if (terminal_) {
        erase_block();
        fmt::print(
            "\n  published        {:>10}   +{}/s\n  demo:mpush:in    {:>10}   {}\n  mpush            {}{}\n",
            grouped(view.sent), sent_rate, grouped(view.in), view.redis ? "" : "(Redis is down)",
            fmt::join(view.replicas, ", "), outs);
        block_lines_ = 4 + static_cast<int>(view.outs.size());
    } else {
        fmt::print(
            "{:5.1f} s  published {} (+{}/s)  in {}{}  mpush: {}{}\n", seconds(), grouped(view.sent), sent_rate,
            grouped(view.in), outs, fmt::join(view.replicas, ", "), view.redis ? "" : "  Redis is down");
    }
    std::fflush(stdout);
    last_ = view;
    last_shown_ = now;
}

void demo_screen::finish() {
    block_lines_ = 0; // the last picture stays
}

} // namespace leat::cli
