#pragma once

#include "bridge/awaited_agent.hpp"
#include "bridge/memory_queue.hpp"
#include "config/spec.hpp"
#include "store/bridge.hpp"
#include "taking/taking_settings.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace leat::bridge {

// Times are milliseconds, as in the original.
struct bridge_settings : taking::taking_settings {
    bridge_settings() {
        in = "bridge:in";
        concurrency = 1000;
        lease = 10; // outcomes in the hand of an instance that died are to be back before the deliveries' leases end
    }

    std::string out = "bridge:out";
    std::string answers = "bridge:answers";
    std::string prefix = "bridge:queue:";
    std::string database = "REDIS";

    std::int64_t message_ttl = 10'000;
    std::int64_t awaited_message_ttl = 900'000;
    std::int64_t awaited_messages_by_turn = 15;
    std::int64_t awaited_messages_interval = 20'000;
    double awaited_retries_factor = 1;
    std::int64_t awaited_time_when_retries_end = 5'000;
    std::int64_t check_queue_interval = 1'000;
    std::int64_t concurrent = 25;
    std::int64_t concurrent_factor = 2;
    std::int64_t interval = 200;
    std::int64_t max_pending_ttl = 30'000;
    std::int64_t max_pending_ttl_margin = 5'000;
    std::int64_t max_retries = 100;
    std::int64_t sent_message_ttl = 5'000;
    std::int64_t metrics_partial_interval = 30'000;
    bool extra_time_metrics = false;

    std::int64_t dedup_ttl = 60'000;
    std::int64_t keep_ttl = 604'800'000;
    std::int64_t conversation_capacity = 1'000;
    std::int64_t max_attempts = 0;
    std::int64_t events = 10'000;

    store::bridge_rules rules() const;
    queue_rules queue() const;
    awaited_agent::options agent() const;
};

const config::spec<bridge_settings>& bridge_spec();

} // namespace leat::bridge
