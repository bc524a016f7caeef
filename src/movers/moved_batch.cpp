#include "movers/moved_batch.hpp"

#include <algorithm>

namespace leat::movers {

using boost::asio::awaitable;
using redis::result;

namespace {

// What the outcomes of the three scripts have in common.
template <class Outcome>
moved_batch common(const Outcome& from) {
    return {.moved = from.moved, .left = from.left, .largest = from.largest, .full = from.full, .spent = from.spent};
}

awaitable<result<moved_batch>> move_untracked(redis::link& queues, store::transfer_call call) {
    auto moved = co_await store::transfer(queues, std::move(call));
    if (!moved) {
        co_return moved.error();
    }
    auto made = common(*moved);
    made.shown = std::move(moved->shown);
    co_return made;
}

awaitable<result<moved_batch>> move_here(
    redis::link& queues, tracking::tracker& tracker, tracking::home where, store::transfer_call call) {
    store::transfer_tracked_call given{
        .keys = tracker.keys(),
        .source = std::move(call.source),
        .outs = std::move(call.outs),
        .max_count = call.max_count,
        .max_bytes = call.max_bytes,
        .largest = call.largest,
        .max_length = call.max_length,
        .max_shown = call.max_shown};
    tracker.fill(given, where);
    auto moved = co_await store::transfer_tracked(queues, std::move(given));
    if (!moved) {
        co_return moved.error();
    }
    tracker.moved(moved->tracked, moved->untracked);
    auto made = common(*moved);
    made.tracked = moved->tracked;
    made.no_room = moved->no_room;
    made.shown = std::move(moved->shown);
    co_return made;
}

awaitable<result<moved_batch>> move_elsewhere(
    redis::link& queues, tracking::tracker& tracker, store::transfer_call call) {
    auto room = co_await tracker.room();
    if (!room) { // the other server is away or refuses, which the tracker sees to: nothing is moved meanwhile
        moved_batch none{.left = 1, .no_room = true};
        co_return none;
    }
    store::transfer_described_call given{
        .source = std::move(call.source),
        .outs = std::move(call.outs),
        .max_count = std::min(call.max_count, *room),
        .max_bytes = call.max_bytes,
        .largest = call.largest,
        .max_length = call.max_length,
        .kept = tracker.keeps_bodies()};
    auto moved = co_await store::transfer_described(queues, std::move(given));
    if (!moved) {
        co_return moved.error();
    }
    auto made = common(*moved);
    made.no_room = moved->moved == *room && moved->left > 0 && moved->full == 0;
    if (moved->moved > 0) {
        made.tracked = co_await tracker.track(std::move(*moved));
    }
    co_return made;
}

} // namespace

awaitable<result<moved_batch>> move_batch(redis::link& queues, tracking::tracker* tracker, store::transfer_call call) {
    if (tracker == nullptr) {
        co_return co_await move_untracked(queues, std::move(call));
    }
    auto where = co_await tracker->where();
    if (where == tracking::home::elsewhere) {
        co_return co_await move_elsewhere(queues, *tracker, std::move(call));
    }
    co_return co_await move_here(queues, *tracker, where, std::move(call));
}

} // namespace leat::movers
