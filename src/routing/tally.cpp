#include "routing/tally.hpp"

#include <algorithm>

namespace leat::routing {

tally::counted& tally::at(std::string_view name) {
    auto found = all_.find(name);
    return found != all_.end() ? found->second : all_[std::string{name}];
}

void tally::give_back(const std::string& name, const counted& held) {
    auto& now = at(name);
    now.count += held.count;
    now.sum += held.sum;
    now.max = std::max(now.max, held.max);
    now.is_time = now.is_time || held.is_time;
    for (std::size_t i = 0; i < now.tenths.size(); ++i) {
        now.tenths[i] += held.tenths[i];
    }
}

void tally::add(std::string_view name, std::int64_t count) {
    at(name).count += count;
}

void tally::add_time(
    std::string_view name, std::chrono::steady_clock::duration took, std::chrono::milliseconds allowed) {
    auto& held = at(name);
    auto time = std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
    ++held.count;
    held.sum += time;
    held.max = std::max(held.max, time);
    held.is_time = true;
    auto tenth = allowed.count() > 0 ? std::min<std::int64_t>(10, 10 * time / allowed.count()) : 10;
    ++held.tenths[static_cast<std::size_t>(tenth)];
}

} // namespace leat::routing
