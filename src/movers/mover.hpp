#pragma once

#include "movers/flight_window.hpp"
#include "movers/moved_batch.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace leat::movers {

// Decides what a mover within one Redis does next: moves batches, waits for messages or for room, returns what a dead
// program left in `pending`. Pure: the service carries out the actions, one at a time, and brings what came of each.
// While there is much to do, lanes beside it send transfers of their own.
class mover {
public:
    using clock = std::chrono::steady_clock;

    // `tracks`: what it moves may be tracked, which makes a batch dear.
    mover(bool has_pending, bool tracks)
        : has_pending_{has_pending}
        , may_track_{tracks}
        , tracks_{tracks} {}

    // ---- what is next

    enum class action : std::uint8_t {
        check,           // whether this server will do
        await_lanes,     // until no transfer is on the way
        return_pending,  // some of it
        look_at_pending, // how much is in it
        transfer,
        await_message,  // the source is empty
        await_room,     // the out of number `out` is full
        await_tracking, // as many are tracked as may be
        end,
    };
    struct step {
        action is = action::end;
        std::size_t out = 0;
    };
    // `lanes`: how many are running.
    step next(std::size_t lanes) const;

    // ---- what happened

    void checked() { checked_ = true; }
    // What is in `pending` stays there.
    void looked_at_pending() { looked_ = true; }
    void returned(std::int64_t messages, std::int64_t left);
    // A list that needs repair holds nothing up; else it is tried again first, lest what is newer overtake it.
    void return_failed(bool awaits_repair) { alone_ = alone_ && !awaits_repair; }
    // A transfer that the mover itself has sent went well.
    void moved(const moved_batch& batch);
    void waited() { after_ = {action::transfer}; }
    // Whether no other service of the namespace lives, so that what is in `pending` is nobody's.
    void alone(bool is) { alone_ = is; }
    void stop() { stopped_ = true; }

    // ---- transfers on the way, of the mover and of its lanes

    struct flight {
        clock::time_point slot; // when it may go
        int together = 0;       // how many are on the way with it
    };
    flight begin(clock::time_point now);
    // Nothing, when it failed or did not go. Every flight lands.
    void land(const flight& one, const std::optional<moved_batch>& batch, clock::duration took);
    // Whether one more transfer at a time finds work, beside so many.
    bool wants_lane(const moved_batch& last, std::size_t lanes) const;
    // Whether a lane goes on after this. Whatever goes wrong the mover meets, too.
    bool lane_goes_on(const std::optional<moved_batch>& last, std::size_t lanes) const;
    bool must_return() const { return alone_ && has_pending_; }

    // For the bounds of the next transfer.
    bool tracks() const { return tracks_; }
    std::int64_t largest() const { return largest_; }

    // ---- what is known

    // Whether a wait for room is worth a line in the log. A subscriber that takes one at a time makes its list full
    // again and again: one line in ten seconds.
    bool waits_for_room(clock::time_point now);
    std::int64_t take_returned(); // how many messages were returned, once no more will be

    struct totals {
        std::uint64_t moved = 0;
        std::uint64_t batches = 0;
        std::uint64_t full_waits = 0;
    };
    const totals& counted() const { return totals_; }

private:
    static step step_after(const moved_batch& batch);

    const bool has_pending_;
    const bool may_track_;
    bool tracks_; // the last batch was tracked
    bool checked_ = false;
    bool looked_ = false; // at `pending`
    bool alone_ = false;  // and nobody has looked at `pending` since
    bool stopped_ = false;
    step after_{action::transfer};
    flight_window window_;
    int in_flight_ = 0;
    clock::time_point next_slot_;
    std::int64_t largest_ = 0;
    std::int64_t returned_ = 0;
    std::optional<clock::time_point> told_full_;
    totals totals_;
};

} // namespace leat::movers
