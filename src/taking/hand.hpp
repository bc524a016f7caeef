#pragma once

#include "runtime/pauses.hpp"
#include "store/scripts.hpp"
#include "taking/verdict.hpp"

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

namespace leat::taking {

// What an instance has taken and not settled yet: the same messages, in the same order, as its hand in Redis. Pure: the
// work loop makes the calls.
class hand {
public:
    using clock = std::chrono::steady_clock;

    struct held {
        std::string message;
        std::int64_t delivery = 1; // 1 for the first delivery
        clock::time_point taken;
        std::optional<verdict> decided;
        bool settled = false;
        bool lost = false;     // another has it by now: what is decided of it is of no account
        std::uint64_t age = 0; // smaller is older
        int breaks = 0;        // how often a connection was lost when it was acknowledged alone

        std::size_t size() const; // of it and of what is to be pushed
        std::size_t sent() const; // of what a call that acknowledges it has to say
    };
    using entry = std::list<held>::iterator;

    std::size_t size() const { return all_.size(); }
    std::size_t bytes() const { return bytes_; } // of messages, and of what is to be pushed
    bool empty() const { return all_.empty(); }
    std::size_t decided() const { return decided_.size(); }
    std::size_t going_back() const { return going_back_; } // of those that are decided
    std::size_t undecided() const { return all_.size() - decided_.size() + lost_.size(); }

    // Newly taken, after all others.
    entry add(std::string message, std::int64_t delivery, clock::time_point now);
    void decide(entry which, verdict how);
    // Another verdict, of what was decided already.
    void decide_otherwise(entry which, verdict how);

    // The oldest of what is decided, to be settled by one call; it stays in hand until the call is known to have been
    // done.
    struct choice {
        std::vector<entry> which;        // oldest first
        bool oldest = false;             // nothing in hand is older
        bool more_goes_back = false;     // what is given back does not fit: the rest of it goes first of all
        std::vector<std::size_t> places; // in hand, the oldest is 0
        std::uint64_t middle = 0;        // age in the middle of the hand, when some is
    };
    // Of the first any bytes. What is to be given back is left out while `holds_back`.
    choice choose(std::size_t most, std::size_t most_bytes, bool holds_back = false) const;
    void settled(const choice& chosen);

    // What the server has in this hand, oldest first, is the truth: what we have and it has not is lost to us. What it
    // has and we do not know of is returned. Of a large message it tells the name only.
    struct seen {
        std::string message;
        std::int64_t failures = 0;
        std::string name; // of a large one, instead of it
    };
    std::vector<seen> reconcile(std::vector<seen> server);
    // The hand is another's.
    void lose_all();

private:
    void lose(entry which);
    void count(const held& each, std::ptrdiff_t by);
    void note_places(choice& made) const;

    std::list<held> all_;
    std::list<held> lost_; // while somebody still works at it
    std::vector<entry> decided_;
    std::size_t bytes_ = 0;
    std::size_t going_back_ = 0;
    std::uint64_t next_age_ = 0;
};

// Whether a message goes to the dead letters with what was decided of it.
bool is_given_up(const hand::held& one, std::int64_t max_deliveries);

// Tells the call what was decided. `chance` is from 0 to 1.
void write_verdicts(const hand::choice& chosen, const runtime::pauses& pauses, double chance, store::settle_call& call);

// For the metrics: sum and longest in seconds, then how many fell into which tenth of the time allowed.
std::string write_times(const hand::choice& chosen, hand::clock::time_point now, std::chrono::seconds allowed);

} // namespace leat::taking
