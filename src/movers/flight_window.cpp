#include "movers/flight_window.hpp"

#include <algorithm>

namespace leat::movers {

int flight_window::size() const {
    if (spent_ == duration{0} || answers_ >= measured_anew_after) {
        return 1;
    }
    auto enough = 1 + 3 * (way_ + spent_) / (2 * spent_);
    return static_cast<int>(std::min<duration::rep>(most, enough));
}

void flight_window::answered(duration took, duration spent, int in_flight) {
    spent = std::min(spent, took); // some servers count the work of all their threads
    bool first = spent_ == duration{0};
    spent_ = first ? spent : (7 * spent_ + spent) / 8; // the first of a burst is slow: its caches are cold
    ++answers_;
    if (in_flight == 1) {
        answers_ = 0;
        auto way = std::max(took - spent, duration{0});
        way_ = first ? way : (way_ + way) / 2;
    }
}

} // namespace leat::movers
