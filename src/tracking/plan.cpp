#include "tracking/plan.hpp"

#include "store/message_plan.hpp"

#include <algorithm>
#include <cmath>

namespace leat::tracking {

std::int64_t schedule_seconds(const retry_settings& retry, std::int64_t timeout) {
    double total = 0;
    double pause = retry.first;
    for (std::int64_t attempt = 1; attempt < retry.attempts; ++attempt) {
        total += std::min(pause, retry.max) + static_cast<double>(timeout);
        pause = std::min(pause * retry.factor, retry.max);
    }
    return static_cast<std::int64_t>(std::ceil(total));
}

plan make_plan(const tracking_settings& settings, const tracked_work& work, const redis::url& queues) {
    plan made{
        .here = "", .elsewhere = "", .expire = settings.message_expire, .keeps_bodies = settings.retry.has_value()};
    if (!settings.retry && settings.await == "first") {
        return made;
    }
    retry_settings once;
    once.attempts = 1;
    auto retry = settings.retry.value_or(once);
    made.expire += schedule_seconds(retry, settings.message_timeout);
    store::message_plan told{
        .outs = work.outs,
        .await = settings.await,
        .attempts = retry.attempts,
        .first = retry.first,
        .factor = retry.factor,
        .max = retry.max,
        .jitter = retry.jitter,
        .timeout = settings.message_timeout,
        .expire = made.expire,
        .max_length = work.max_length,
        .dead = dead_of(settings),
        .source = work.source,
        .db = queues.db,
        .server = ""};
    made.here = to_text(told);
    told.server = queues.shown;
    made.elsewhere = to_text(told);
    return made;
}

} // namespace leat::tracking
