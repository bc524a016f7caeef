#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace leat::store {

// What is to become of the messages of a service, as lua/include/plan_of.lua reads it. Times in seconds.
struct message_plan {
    std::vector<std::string> outs;
    std::string await = "first"; // or all
    std::int64_t attempts = 1;   // deliveries in all
    double first = 0;            // pause before the second delivery; each further one is `factor` times as long,
    double factor = 1;
    double max = 0;    // at most so long,
    double jitter = 0; // and at random shorter by up to this part of it
    std::int64_t timeout = 0;
    std::int64_t expire = 0;     // that a message may live
    std::int64_t max_length = 0; // an out of this length is full; 0: never
    std::string dead;            // list of those that are given up
    std::string source;          // the queue that they came from
    std::int64_t db = 0;         // of the queues
    std::string server;          // of the queues; empty: that of the message keys
};
std::string to_text(const message_plan& plan);

} // namespace leat::store
