#pragma once

#include "routing/query_plan.hpp"
#include "taking/own_keys.hpp"

#include <string_view>

namespace leat::routing {

struct rquery_settings : taking::taking_settings {
    rquery_settings() { concurrency = 100; }

    std::vector<std::string> prefixes;
    std::vector<std::string> allow;
    std::optional<std::string> reply;
    std::vector<std::string> reply_prefixes;
    std::int64_t timeout = 5000;
    std::int64_t max_commands = 100;
    std::int64_t max_bytes = 64 << 10;
    std::int64_t max_answer = 1 << 20;
    std::int64_t max_reply_bytes_in_flight = 16 << 20;
};

const config::spec<rquery_settings>& rquery_spec();

query_rules rules_of(const rquery_settings& settings);

} // namespace leat::routing
