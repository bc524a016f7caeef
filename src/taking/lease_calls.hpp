#pragma once

#include "taking/instance.hpp"

namespace leat::taking {

// The lease of an instance, and what is in flight under it: opened, looked at after a lost answer or connection, given
// back at the end. Calls that acknowledge renew it.
class lease_calls {
public:
    explicit lease_calls(instance& ours)
        : ours_{ours} {}

    called open();
    // What does the server say is in flight with us?
    called look();
    // Gives back what was not decided, and ends the lease; if that fails, others recover it when the lease has ended.
    boost::asio::awaitable<void> leave();

private:
    instance& ours_;
};

} // namespace leat::taking
