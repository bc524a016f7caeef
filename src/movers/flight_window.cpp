#include "movers/flight_window.hpp"

#include <algorithm>

namespace leat::movers {
namespace {

flight_window::duration half_way(flight_window::duration known, flight_window::duration seen) {
    return known == flight_window::duration{0} ? seen : (known + seen) / 2;
}

} // namespace

int flight_window::size() const {
    if (spent_ == duration{0} || answers_ >= measured_anew_after) {
        return 1;
    }
    auto enough = 1 + 3 * way_ / (2 * spent_);
    return static_cast<int>(std::min<duration::rep>(most, enough));
}

void flight_window::answered(duration took, duration spent, int in_flight) {
    ++answers_;
    if (in_flight == 1) {
        answers_ = 0;
        way_ = half_way(way_, took);
        spent_ = half_way(spent_, spent);
    }
}

} // namespace leat::movers
