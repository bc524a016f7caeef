#pragma once

#include "config/spec.hpp"
#include "runtime/pauses.hpp"
#include "runtime/registration.hpp"
#include "runtime/service_settings.hpp"
#include "taking/work_loop.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace leat::taking {

// How much is taken at a time, and for how long: of whatever takes from a queue.
struct flight_settings : runtime::waiting_settings {
    std::int64_t concurrency = 1;
    std::int64_t max_deliveries = 5;
    std::int64_t max_message_bytes = 64 << 20;
    std::int64_t max_bytes_in_flight = 64 << 20;
    std::int64_t lease = 30;
};
config::typed_field<flight_settings> flight_field(std::string_view name);
// The part of the work that they decide.
work work_of(const flight_settings& settings);

// The settings of a kind that takes and settles. A kind's own struct extends this one.
struct taking_settings : runtime::service_settings, flight_settings {
    std::string redis = "redis://localhost:6379/0";
    std::string in;
    std::optional<std::string> pending;
    std::optional<std::string> dead;
    std::optional<std::string> done;
    std::optional<runtime::pauses> retry;
};

// The declaration of one of them, of the flight or of the service settings.
config::typed_field<taking_settings> taking_field(std::string_view name);

std::string pending_of(const taking_settings& settings);
std::string dead_of(const taking_settings& settings);
std::string done_of(const taking_settings& settings); // there must be a serviceNamespace

// What is the same for every kind: the queues, the lease, the pauses. The kind adds its outs and its decision.
work work_of(const taking_settings& settings);
std::optional<name_space_home> name_space_of(const taking_settings& settings);
// Of a service whose queues are on this server.
std::optional<name_space_home> name_space_of(const runtime::service_settings& settings, const std::string& redis);
// For those who look at registered services; `reply` when the kind has one.
runtime::service_queues queues_of(const taking_settings& settings, const std::optional<std::string>& reply);

// `outs` are the lists that the kind pushes to, by the setting that names each.
void check_taking_settings(
    const taking_settings& given, const std::vector<std::pair<std::string, std::string>>& outs,
    const config::reporter& at);

} // namespace leat::taking
