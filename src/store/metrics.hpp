#pragma once

#include "redis/failure.hpp"
#include "redis/link.hpp"
#include "store/keys.hpp"

#include <boost/asio/awaitable.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::store {

// What leat counts, with what it means; a star stands for the name of a processor, or of an answer.
struct metric_name {
    std::string_view name;
    std::string_view meaning;
};
inline constexpr std::array metric_names{
    metric_name{"start", "services started"},
    metric_name{"done", "messages done; the time from their delivery to the report"},
    metric_name{"settled", "messages that a worker has done; the time that it took"},
    metric_name{"timeout", "deliveries that nobody reported in time"},
    metric_name{"retry", "messages delivered again"},
    metric_name{"dead", "messages that became dead letters"},
    metric_name{"recovered", "messages taken back from a dead program's pending list"},
    metric_name{"messageCapacity", "messages delivered untracked, beyond messageCapacity"},
    metric_name{"message:expired", "messages forgotten before anybody saw to them"},
    metric_name{"message:exists", "message ids skipped, because their key was there"},
    metric_name{"message:invalid", "messages whose key somebody had edited"},
    metric_name{"done:duplicate", "reports of messages that were done already"},
    metric_name{"done:expired", "reports that came too late"},
    metric_name{"done:unknown", "reports of ids that were never given, or of another's out"},
    metric_name{"done:invalid", "reports that are neither ID nor ID:OUT"},
    metric_name{"late", "outcomes that came when the message had ended"},
    metric_name{"answer:late", "answers that came after the timeout, or a second time"},
    metric_name{"answer:unknown", "answers to what was never asked"},
    metric_name{"answer:invalid", "answers that cannot be read"},
    metric_name{"error", "errors of Redis that a service met"},
    metric_name{"duration:*", "messages that came back to a DurationMonitor; the time until then"},
    metric_name{"duplicate:*", "messages that a DedupeFilter has stopped"},
    metric_name{"optional:*", "failures of an optional route"},
    metric_name{"bridge:call", "messages of a bridge's queues; the time until Redis has answered"},
    metric_name{"bridge:invalid", "messages of a bridge's queues that cannot be read"},
    metric_name{"bridge:counts:*", "what the scripts of a bridge have counted: see its guide"},
    metric_name{"bridge:*", "messages of a bridge's queues with this answer"},
};
std::string_view meaning_of(std::string_view name);

// Times in milliseconds are counted by the first of these that they do not exceed, in the field `ms<bound>`, and beyond
// the last in `msMore`.
inline constexpr std::array<std::int64_t, 16> metric_bounds{1,   2,    5,    10,   20,    50,    100,   200,
                                                            500, 1000, 2000, 5000, 10000, 20000, 50000, 100000};
std::string bound_field(std::size_t number);

struct metric {
    std::string name;
    std::string service; // empty: the total of the namespace
    std::string queue;
    std::int64_t count = 0;
    std::optional<std::int64_t> sum; // of times
    std::optional<std::int64_t> max;
    std::string unit;                                            // count; of times s or ms
    std::array<std::int64_t, 11> tenths{};                       // how many fell into which tenth of the timeout
    std::array<std::int64_t, metric_bounds.size() + 1> bounds{}; // of milliseconds
    std::string last;
};

struct metrics {
    std::string name_space;
    std::int64_t tracked = 0;
    std::int64_t waiting = 0;     // to be delivered again
    std::vector<metric> all;      // totals in the order of metric_names, then by name
    std::vector<metric> services; // of one service and queue each
};

boost::asio::awaitable<redis::result<metrics>> list_metrics(redis::link& server, std::string name_space);

// Of one that has stopped: the number of its last call is not needed any more.
boost::asio::awaitable<redis::result<std::int64_t>> forget_writer(
    redis::link& server, message_keys keys, std::string writer);

} // namespace leat::store
