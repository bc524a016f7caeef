#include "runtime/pauses.hpp"

#include <algorithm>
#include <cmath>

namespace leat::runtime {

std::chrono::milliseconds pause_after(const pauses& how, std::int64_t failures, double chance) {
    auto longer = how.first * std::pow(how.factor, static_cast<double>(std::max<std::int64_t>(1, failures) - 1));
    auto seconds = std::min(how.max, longer) * (1 - how.jitter * chance);
    return std::chrono::milliseconds{static_cast<std::int64_t>(1000 * seconds)};
}

} // namespace leat::runtime
