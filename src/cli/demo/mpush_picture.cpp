#include "cli/demo/mpush_picture.hpp"

#include "base/shown.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>

namespace leat::cli {

using base::grouped;

std::optional<std::vector<std::string>> mpush_picture::take(const mpush_view& view, clock::time_point now) {
    auto passed = last_taken_ ? std::chrono::duration<double>{now - *last_taken_}.count() : 0;
    if (last_taken_ && passed < (page_ ? 0.25 : 1.0)) {
        return std::nullopt;
    }
    auto lines = lines_of(view, passed);
    last_ = view;
    last_taken_ = now;
    return lines;
}

std::vector<std::string> mpush_picture::lines_of(const mpush_view& view, double passed) const {
    auto rate = [passed](std::int64_t current, std::int64_t before) {
        auto more = static_cast<double>(std::max<std::int64_t>(0, current - before));
        return grouped(passed > 0 ? static_cast<std::int64_t>(more / passed) : 0);
    };
    auto sent_rate = rate(view.sent, last_.sent);
    auto out_rate = [this, &view, &rate](std::size_t i) {
        return rate(view.outs[i], i < last_.outs.size() ? last_.outs[i] : 0);
    };
    if (page_) {
        std::vector<std::string> lines{
            fmt::format("published        {:>10}   +{}/s", grouped(view.sent), sent_rate),
            fmt::format("demo:mpush:in    {:>10}   {}", grouped(view.in), view.redis ? "" : "(Redis is down)"),
            fmt::format("mpush            {}", fmt::join(view.replicas, ", "))};
        for (std::size_t i = 0; i < view.outs.size(); ++i) {
            lines.push_back(fmt::format("demo:mpush:out{}  {:>10}   +{}/s", i, grouped(view.outs[i]), out_rate(i)));
        }
        return lines;
    }
    std::string outs;
    for (std::size_t i = 0; i < view.outs.size(); ++i) {
        outs += fmt::format("  out{} {} (+{}/s)", i, grouped(view.outs[i]), out_rate(i));
    }
    return {fmt::format(
        "published {} (+{}/s)  in {}{}  mpush: {}{}", grouped(view.sent), sent_rate, grouped(view.in), outs,
        fmt::join(view.replicas, ", "), view.redis ? "" : "  Redis is down")};
}

} // namespace leat::cli
