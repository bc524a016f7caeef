#pragma once

#include "redis/backoff.hpp"
#include "redis/failure.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace leat::redis {

// What a loop does about a failed call, by the class of its error, and what it says of it: a fault is logged once when
// it begins and once when it ends. Pure: whoever asks tells the time.
class failure_policy {
public:
    using clock = std::chrono::steady_clock;

    // Many calls may fail and go well at the same time, each for a reason of its own: then a fault is over when one
    // goes well and none has failed for `quiet`.
    explicit failure_policy(clock::duration quiet = {})
        : quiet_{quiet} {}

    struct reaction {
        enum class says : std::uint8_t { nothing, waits, awaits_repair, stops };
        says log = says::nothing;
        bool goes_on = true;     // false: nothing but a person helps
        bool looks_up = false;   // another server may have the name by now
        clock::duration pause{}; // before the next try; then there must be a connection
    };
    // `connected`: the link has a connection, so that this is no loss, of which the link tells. Whoever is `patient`
    // waits for a person, too.
    reaction failed(const failure& what, bool connected, bool patient, clock::time_point now);
    // A call went well. True when that ends a fault that was logged.
    bool answered(clock::time_point now);
    // When a fault that was logged is over at the earliest, so that a call should find out then; the end of time:
    // never.
    clock::time_point over_at() const;
    std::uint64_t failures() const { return failures_; }

private:
    void end();

    backoff pause_{std::chrono::milliseconds{50}, std::chrono::milliseconds{1000}};
    clock::duration quiet_;
    clock::time_point until_; // many may fail together: they wait for one pause
    clock::time_point failed_at_;
    bool went_well_ = false;                              // since then
    std::map<error_class, std::set<std::string>> logged_; // of the fault that is not over
    std::uint64_t failures_ = 0;
};

} // namespace leat::redis
