#pragma once

#include "modes.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace leat::bench {

using clock = std::chrono::steady_clock;

// What was given and what has arrived: messages are numbered as they are given, requests go around the conversations,
// and each message must arrive once, after all that were given before it in its conversation.
class ledger {
public:
    explicit ledger(const words& given)
        : conversations_{static_cast<std::size_t>(given.conversations)}
        , replies_{static_cast<std::size_t>(given.replies)}
        , arrived_of_(conversations_, 0) {}

    std::size_t next_request() { return requests_++; }
    std::size_t conversation_of(std::size_t request) const { return request % conversations_; }
    std::size_t request_of(std::size_t message) const { return message / replies_; }
    std::size_t first_message(std::size_t request) const { return request * replies_; }

    void came(std::size_t message, clock::time_point when);
    clock::time_point came_at(std::size_t message) const { return came_.at(message); }
    void arrived(std::size_t message);
    // Since the last clearing; in milliseconds, from its coming to its arrival.
    void clear() { times_.clear(); }
    const std::vector<double>& times() const { return times_; }

    std::size_t given() const { return requests_ * replies_; }
    std::size_t total_arrived() const { return total_arrived_; }
    bool ok() const { return wrong_ == 0 && total_arrived_ == given(); }
    std::size_t wrong() const { return wrong_; }

private:
    std::size_t conversations_;
    std::size_t replies_;
    std::vector<std::size_t> arrived_of_; // messages of each conversation
    std::vector<clock::time_point> came_; // by number
    std::vector<double> times_;
    std::size_t requests_ = 0;
    std::size_t total_arrived_ = 0;
    std::size_t wrong_ = 0;
};

// Whether about so many of a hundred messages are meant, always the same.
bool is_one_of(std::size_t message, int percent);

double milliseconds(clock::duration passed);
// "p50": 1.0, "p99": 1.0, "max": 1.0 of what is sorted here; "count" before.
std::string percentiles(std::vector<double> seen);

// How the harness is talked to.
void await_go();
void tell(const std::string& members);

} // namespace leat::bench
