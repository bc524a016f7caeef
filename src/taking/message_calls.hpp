#pragma once

#include "taking/dead_consumers.hpp"
#include "taking/failure_lines.hpp"
#include "taking/forwarder.hpp"
#include "taking/instance.hpp"

#include <random>

namespace leat::taking {

// Takes messages, and acknowledges what is decided of them. Each of these calls also renews the lease, and tells the
// agents that look after others when they are needed next.
class message_calls {
public:
    message_calls(instance& ours, dead_consumers& dead, forwarder& delayed)
        : ours_{ours}
        , dead_{dead}
        , delayed_{delayed}
        , failures_{ours.what, ours.log} {}

    called take(std::int64_t most);
    called settle(std::int64_t most);

private:
    template <class Call>
    Call begin_call(std::int64_t most) const;
    store::settle_call settlement(std::int64_t most, taker::clock::time_point sent);
    void settled(store::settle_outcome& outcome, std::int64_t most, taker::clock::time_point sent);
    template <class Outcome>
    void note_dates(const Outcome& outcome);

    instance& ours_;
    dead_consumers& dead_;
    forwarder& delayed_;
    failure_lines failures_;
    double chance_now_ = 0; // of the settlement under way
    std::minstd_rand random_{std::random_device{}()};
    std::uniform_real_distribution<double> chance_{0, 1};
};

} // namespace leat::taking
