#pragma once

#include "store/keys.hpp"
#include "tracking/plan.hpp"
#include "tracking/service_home.hpp"

#include <cstdint>
#include <string>

namespace leat::tracking {

// What the parts of a tracker share: where things are written, and what.
struct ledger {
    tracking_settings settings;
    store::message_keys keys;
    std::string done;
    plan what_next;
    std::int64_t service = 0; // our id, once we are registered
    int waiting_for_room = 0; // loops that want to know when a message has ended

    // Fills what a script that begins to track messages writes of each.
    template <class Call>
    void describe(Call& call, home where) const {
        call.service = service;
        call.timeout = settings.message_timeout;
        call.expire = what_next.expire;
        call.capacity = settings.message_capacity;
        call.kept = what_next.keeps_bodies;
        call.plan = where == home::elsewhere ? what_next.elsewhere : what_next.here;
    }
};

} // namespace leat::tracking
