#pragma once

#include <chrono>
#include <cstdint>

namespace leat::movers {

// How many calls to keep on the way to a server while there is much to move. One at a time leaves the server idle for a
// round trip; too many wait in its queue and hold up other clients. Enough are those that keep it busy for as long as
// one takes from here and back, and half as many again, because no way takes always the same.
class flight_window {
public:
    using duration = std::chrono::steady_clock::duration;

    static constexpr int most = 16;
    static constexpr int measured_anew_after = 2000; // answers; then one goes alone

    int size() const;
    // The least time between two calls. Calls that arrive together are done together and answered together, and the
    // server sleeps until the next ones come, together again; spread out, one is always there when another is done.
    duration spacing() const { return size() > 1 ? spent_ / 2 : duration{0}; }

    // A call that moved a full batch was answered: how long it took, how long the server worked on it, and how many
    // were on the way when it was sent, itself included. What is alone on the way measures it.
    void answered(duration took, duration spent, int in_flight);

private:
    int answers_ = 0; // since one was alone
    duration way_{0}; // there and back, without the work
    duration spent_{0};
};

} // namespace leat::movers
