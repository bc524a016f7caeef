#include "movers/flight_window.hpp"

#include <algorithm>

namespace leat::movers {

int flight_window::size() const {
    if (shortest_ == duration{0} || spent_ == duration{0}) {
        return 1;
    }
    auto enough = 1 + 3 * shortest_ / (2 * spent_);
    return static_cast<int>(std::min<duration::rep>(most, enough));
}

void flight_window::answered(duration took, duration spent, int in_flight) {
    if (++measured_ > measured_anew_after) {
        *this = {};
        return;
    }
    spent_ = spent_ == duration{0} ? spent : (7 * spent_ + spent) / 8;
    if (in_flight == 1) {
        shortest_ = shortest_ == duration{0} ? took : std::min(shortest_, took);
    }
}

} // namespace leat::movers
