#pragma once

#include "redis/url.hpp"
#include "tracking/tracking_settings.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace leat::tracking {

// What a service moves, as far as tracking cares.
struct tracked_work {
    std::string source; // the queue that messages come from
    std::vector<std::string> outs;
    std::int64_t max_length = 0; // as of mpush
    std::chrono::seconds tick{5};
};

// What is to become of the messages of one service, as the scripts of any other read it: a message leads to it by its
// `service`, so it counts also when that service is gone, or another one of the namespace is set up otherwise.
struct plan {
    // As scripts read it; empty: nothing beyond what every message is due. The queues are on the server of the message
    // keys, or elsewhere: then only a service with the same queue server can deliver again.
    std::string here;
    std::string elsewhere;
    std::int64_t expire = 0; // seconds that a message may live
    bool keeps_bodies = false;
};

plan make_plan(const tracking_settings& settings, const tracked_work& work, const redis::url& queues);

// How long all attempts and pauses take at most, after the first.
std::int64_t schedule_seconds(const retry_settings& retry, std::int64_t timeout);

} // namespace leat::tracking
