#pragma once

#include "taking/instance.hpp"

namespace leat::taking {

// The first of the large messages that are in flight with us and that we never saw: fetched, or given up unseen.
// `unread_messages` decides.
class unread_calls {
public:
    explicit unread_calls(instance& ours)
        : ours_{ours} {}

    called fetch();
    called bury();

private:
    instance& ours_;
};

} // namespace leat::taking
