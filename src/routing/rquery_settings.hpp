#pragma once

#include "routing/query_plan.hpp"
#include "taking/taking_settings.hpp"

#include <string_view>

namespace leat::routing {

struct rquery_settings : taking::taking_settings {
    rquery_settings() { concurrency = 100; }

    std::vector<std::string> prefixes;
    std::vector<std::string> allow;
    std::optional<std::string> reply;
    std::int64_t timeout = 5000;
    std::int64_t max_commands = 100;
    std::int64_t max_bytes = 64 << 10;
    std::int64_t max_answer = 1 << 20;
};

const config::spec<rquery_settings>& rquery_spec();

query_rules rules_of(const rquery_settings& settings);

// Keys that the service lives on: no query writes to them, and no answer is pushed to them.
struct own_keys {
    std::vector<std::string> exact;
    std::vector<std::string> starts; // of keys

    bool hold(std::string_view key) const;
    // The first that begins with the prefix, or could.
    std::optional<std::string> first_within(std::string_view prefix) const;
};
own_keys own_keys_of(const rquery_settings& settings);

} // namespace leat::routing
