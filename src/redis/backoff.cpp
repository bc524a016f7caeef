#include "redis/backoff.hpp"

#include <algorithm>

namespace leat::redis {

backoff::backoff(duration first, duration longest)
    : first_{first}
    , longest_{longest}
    , step_{first}
    , random_{std::random_device{}()} {
}

backoff::duration backoff::next() {
    std::uniform_int_distribution<duration::rep> part{step_.count() / 2, step_.count()};
    auto wait = duration{part(random_)};
    step_ = std::min(longest_, step_ * 2);
    return wait;
}

} // namespace leat::redis
