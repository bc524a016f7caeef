#include "config/problem.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace leat::config {

std::string to_string(const problem& told) {
    const auto* level = told.level == severity::error ? "error" : "warning";
    auto at = to_string(told.where);
    return at.empty() ? fmt::format("{}: {}", level, told.text) : fmt::format("{}: {}: {}", at, level, told.text);
}

void problems::error(position where, std::string text) {
    all_.push_back({severity::error, std::move(where), std::move(text)});
    ++errors_;
}

void problems::warning(position where, std::string text) {
    all_.push_back({severity::warning, std::move(where), std::move(text)});
}

namespace {

std::string lower(std::string_view word) {
    std::string made{word};
    std::ranges::transform(
        made, made.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return made;
}

// Levenshtein's distance, one row at a time; two swapped neighbours count as one step, the commonest slip of all.
std::size_t distance(std::string_view one, std::string_view other) {
    std::vector<std::size_t> before_last;
    std::vector<std::size_t> last(other.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= one.size(); ++i) {
        std::vector<std::size_t> row(other.size() + 1, i);
        for (std::size_t j = 1; j <= other.size(); ++j) {
            auto changed = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
            row[j] = std::min({changed, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last = std::move(last);
        last = std::move(row);
    }
    return last.back();
}

std::optional<std::string> only_one_with(std::string_view beginning, std::span<const std::string> candidates) {
    auto begins = [&](const std::string& each) { return beginning.size() >= 2 && each.starts_with(beginning); };
    auto found = std::ranges::find_if(candidates, begins);
    return std::ranges::count_if(candidates, begins) == 1 ? std::optional{*found} : std::nullopt;
}

} // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
    constexpr std::size_t longest = 200; // a name has no such length, and the distance takes quadratic time
    if (word.size() > longest) {
        return std::nullopt;
    }
    const std::string* best = nullptr;
    std::size_t least = 0;
    for (const auto& candidate : candidates) {
        auto steps = distance(lower(word), lower(candidate));
        auto most = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
        // A word of one or two letters is one step from far too many.
        if (steps <= most && steps < std::max<std::size_t>(1, word.size()) && (!best || steps < least)) {
            best = &candidate;
            least = steps;
        }
    }
    return best ? std::optional{*best} : only_one_with(word, candidates);
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    auto near = nearest(word, candidates);
    return near ? fmt::format("; did you mean {}?", *near) : "";
}

std::string did_you_mean_or_all(std::string_view word, std::span<const std::string> candidates) {
    auto near = did_you_mean(word, candidates);
    return !near.empty() || candidates.empty() ? near : fmt::format("; there are {}", fmt::join(candidates, ", "));
}

} // namespace leat::config
