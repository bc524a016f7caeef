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

    // Fills what every script of a tracked message is told of its keys.
    template <class Call>
    void address(Call& call) const {
        if constexpr (requires { call.tracked; }) {
            call.tracked = keys.tracked();
        }
        if constexpr (requires { call.ids; }) {
            call.ids = keys.ids();
        }
        if constexpr (requires { call.deadlines; }) {
            call.deadlines = keys.deadlines();
        }
        if constexpr (requires { call.retries; }) {
            call.retries = keys.retries();
        }
        call.prefix = keys.prefix();
        if constexpr (requires { call.counter; }) {
            call.counter = keys.counter();
        }
        if constexpr (requires { call.metrics; }) {
            call.metrics = keys.metrics();
        }
        if constexpr (requires { call.passing; }) {
            call.passing = keys.ids_seen();
        }
        if constexpr (requires { call.remember; }) {
            call.remember = settings.message_expire;
        }
    }

    // ... and what a script that begins to track messages writes of each.
    template <class Call>
    void describe(Call& call, home where) const {
        address(call);
        call.service = service;
        call.timeout = settings.message_timeout;
        call.expire = what_next.expire;
        call.capacity = settings.message_capacity;
        call.kept = what_next.keeps_bodies;
        call.plan = where == home::elsewhere ? what_next.elsewhere : what_next.here;
    }
};

} // namespace leat::tracking
