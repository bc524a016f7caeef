#pragma once

#include "routing/passage.hpp"

#include <cstdint>
#include <functional>
#include <set>
#include <unordered_map>

namespace leat::routing {

// Moves messages along their routes and their outcomes back. It is pure: it knows no clock and no thread of its own.
// Its owner tells it the time, and wakes it when the earliest deadline is there.
class engine {
public:
    using clock = passage::clock;
    // `earlier` is called when the earliest deadline has changed.
    explicit engine(std::function<void()> earlier = [] {})
        : earlier_{std::move(earlier)} {}
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    // May end before it returns.
    void start(passage& on);

    // Of a message that waits. False: it has ended meanwhile, and this came too late.
    bool resume(std::uint64_t number, outcome how, clock::time_point now);
    bool go_on(std::uint64_t number, clock::time_point now);

    // While it waits; else nothing.
    passage* find(std::uint64_t number) const;

    // The earliest deadline of what waits; far away when nothing does.
    clock::time_point next_deadline() const;
    // Fails all whose time is over.
    void expire(clock::time_point now);
    // Fails all that waits and was sent by this one.
    void abandon(const departure& from, const message::error& why, clock::time_point now);

    // It will not be there any more.
    void forget(std::uint64_t number);

    std::size_t waiting() const { return waiting_.size(); }
    std::uint64_t late() const { return late_; }

private:
    void run(passage& on);
    void go_back(passage& on);
    void wait(passage& on, processor& where);
    passage* take(std::uint64_t number, clock::time_point now);
    static message::error timeout_of(const passage& on);

    std::function<void()> earlier_;
    std::unordered_map<std::uint64_t, passage*> waiting_;
    std::set<std::pair<clock::time_point, std::uint64_t>> deadlines_; // of equal ones the youngest, a copy, comes first
    std::uint64_t next_number_ = 1;
    std::uint64_t late_ = 0;
};

} // namespace leat::routing
