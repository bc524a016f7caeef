#pragma once

#include "tracking/tracking_settings.hpp"

#include <string>
#include <vector>

namespace leat::tracking {

// What is to become of the messages of one service, as the scripts of any other read it: a message leads to it by its
// `service`, so it counts also when that service is gone, or another one of the namespace is set up otherwise.
struct plan {
    std::string text;        // JSON; empty: nothing beyond what every message is due
    std::int64_t expire = 0; // seconds that a message may live
    bool keeps_bodies = false;
};

// `origin` is the queue that a message came from, `max_length` as of mpush.
plan make_plan(
    const tracking_settings& settings, const std::vector<std::string>& outs, const std::string& origin,
    std::int64_t max_length, const std::string& dead);

// How long all attempts and pauses take at most, after the first.
std::int64_t schedule_seconds(const retry_settings& retry, std::int64_t timeout);

} // namespace leat::tracking
