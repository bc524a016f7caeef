#include "tracking/plan.hpp"

#include "config/write.hpp"

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
    using config::value;
    auto map = value::of_map();
    map.set("outs", value::of_texts(work.outs));
    map.set("await", value::of_text(settings.await));
    map.set("attempts", value::of_whole(retry.attempts));
    map.set("first", value::of_number(retry.first));
    map.set("factor", value::of_number(retry.factor));
    map.set("max", value::of_number(retry.max));
    map.set("jitter", value::of_number(retry.jitter));
    map.set("timeout", value::of_whole(settings.message_timeout));
    map.set("expire", value::of_whole(made.expire));
    map.set("maxLength", value::of_whole(work.max_length));
    map.set("dead", value::of_text(dead_of(settings)));
    map.set("origin", value::of_text(work.source));
    map.set("db", value::of_whole(queues.db));
    map.set("server", value::of_text(""));
    made.here = config::to_json(map, 0);
    map.set("server", value::of_text(queues.shown));
    made.elsewhere = config::to_json(map, 0);
    return made;
}

} // namespace leat::tracking
