#pragma once

#include "config/value.hpp"
#include "routing/route_config.hpp"
#include "routing/router_settings.hpp"

#include <string>
#include <vector>

namespace leat::routing {

// A case of a file's own tests: a message, what is different from the configuration, and what must come of it.
//
//   tests:
//   - name: too many are refused
//     given: {url: /a}                                    # text as it is, other YAML as JSON
//     before: [{url: /b}]                                 # messages that come first
//     overrides: {RateLimitFilter.singleton: {limit: 1}}
//     answers: {RedisExporter.singleton: {reply: done}}   # or error: {name, message}, or silent: true
//     expect: {error: {name: LimitExceeded}, outs: {orders:work: []}}
struct route_case {
    std::string name;
    config::position where;
    std::string importer; // empty: the only one
    std::string given;
    std::vector<std::string> before;
    config::value overrides; // a map, or null
    config::value answers;   // a map, or null
    config::value expect;    // a map
};

// Problems go to `found`, with their places.
std::vector<route_case> read_route_cases(
    const config::value& tests, const router_settings& settings, const processor_table& known, config::problems& found);

// Whether the case needs a server, because a processor that no answer stands for does.
bool needs_redis(const route_case& one, const router_settings& settings, const processor_table& known);

// The configuration with the overrides of a case.
std::vector<declared> declared_for(
    const route_case& one, const router_settings& settings, const processor_table& known);

// Text as it is, other YAML as JSON.
std::string message_of(const config::value& given);

} // namespace leat::routing
