#include "runtime/service_settings.hpp"

#include "redis/url.hpp"

namespace leat::runtime {
namespace {

std::vector<config::typed_field<service_settings>> all_fields() {
    using config::field;
    using settings = service_settings;
    return {
        field(
            "serviceRedis", &settings::service_redis,
            "Server of the service and message keys, when it is not `redis`: another database, or another server.")
            .example("redis://localhost:6379/1")
            .secret(config::secrecy::url)
            .check(redis::check_url)
            .needs("serviceNamespace"),
        field(
            "serviceNamespace", &settings::service_namespace,
            "Prefix of the keys for registration, tracking and metrics. Without it there are none.")
            .example("demo:mpush")
            .not_empty(),
        field("serviceExpire", &settings::service_expire, "A service that has not renewed for so long is dead.")
            .range(3, 86400)
            .unit("s")
            .needs("serviceNamespace"),
        field(
            "serviceRenew", &settings::service_renew, "Time between two heartbeats; at most a third of serviceExpire.")
            .range(1, 28800)
            .unit("s")
            .needs("serviceNamespace"),
        field(
            "serviceCapacity", &settings::service_capacity,
            "When more services are listed in the namespace than this, each that registers warns of it. Ids of dead "
            "services are dropped from the list, those of living ones never.")
            .range(1, 100'000)
            .needs("serviceNamespace"),
    };
}

} // namespace

config::typed_field<service_settings> service_field(std::string_view name) {
    return config::field_named(all_fields(), name).value(); // another is a mistake of the kind that asks
}

config::typed_field<waiting_settings> pop_timeout_field() {
    return config::field(
               "popTimeout", &waiting_settings::pop_timeout,
               "Fallback poll interval: the queue is looked at again after so long when Redis reports no change of it.")
        .range(1, 30)
        .unit("s");
}

void check_service_settings(const service_settings& given, const config::reporter& at) {
    if (given.service_renew * 3 > given.service_expire) {
        at.error(
            "serviceRenew", "serviceRenew must be at most a third of serviceExpire (" +
                                std::to_string(given.service_expire) +
                                "), so that two lost beats do not end the service");
    }
}

} // namespace leat::runtime
