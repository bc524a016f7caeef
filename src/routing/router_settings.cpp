#include "routing/router_settings.hpp"

#include "redis/url.hpp"
#include "routing/route_config.hpp"

namespace leat::routing {
namespace {

constexpr auto description =
    R"(Runs Redix routes: importers take messages from lists, a route is a list of processors that each message goes through,
exporters push it to where it is worked on, and the reply travels back along the route.

`configs` declares the processors, as a map of their names or as a list with `processorName`. A name is a type, and behind a dot
the name of an instance: `RateLimitFilter.singleton`; folders before the type, as in `filter.RateLimitFilter.singleton`, mean
nothing. `leat router FOLDER` takes a folder with a file for each processor, named after it, and with the settings of this page
in `redix.yaml` when it is there.

| type | does |
|---|---|
| [RedisImporter](RedisImporter.md) | takes messages from a list and sends each along a route |
| [HttpRequestValidator](HttpRequestValidator.md) | lets only messages through that are HTTP requests |
| [SchemaValidator](SchemaValidator.md) | lets only messages through that a JSON Schema allows |
| [RateLimitFilter](RateLimitFilter.md) | lets so many messages through in a time |
| [ExpiredFilter](ExpiredFilter.md) | stops messages, and replies, whose time is over |
| [TimeoutFilter](TimeoutFilter.md) | limits the time of what comes after it |
| [DurationMonitor](DurationMonitor.md) | measures the time of what comes after it |
| [DedupeFilter](DedupeFilter.md) | lets each message through once, by its own id |
| [regexpRouter](regexpRouter.md) | sends a message along the route of the first rule that matches it |
| [multicast](multicast.md) | sends a message along several routes at once |
| [RedisExporter](RedisExporter.md) | pushes messages to a list; or asks, and waits for the answer |

Every route is resolved and checked before anything starts: unknown processors, routes that end nowhere, routes that go round.
SIGHUP, or `--watch` when a file changes, reads the configuration anew: a bad one is told and refused, and the old one goes on;
messages under way end on the routes that they began on.
)";

void check(const router_settings& given, const config::reporter& at) {
    runtime::check_service_settings(given, at);
    read_configs(given.configs, at.found());
}

} // namespace

const config::spec<router_settings>& router_spec() {
    using settings = router_settings;
    using runtime::service_field;
    static const config::spec<settings> made{
        "router",
        "Runs routes: importers, chains of processors, exporters, replies.",
        description,
        {
            config::field("description", &settings::description, "For people.").example("Orders of the shop"),
            config::field("redis", &settings::redis, "Server of the lists that do not name another.")
                .secret(config::secrecy::url)
                .check(redis::check_url),
            config::field("configs", &settings::configs, "The processors: see above.").required(),
            service_field("serviceRedis"),
            service_field("serviceNamespace"),
            service_field("serviceExpire"),
            service_field("serviceRenew"),
            service_field("serviceCapacity"),
        },
        {{"a queue, a limit, another queue", "configs:\n"
                                             "  RedisImporter.singleton:\n"
                                             "    queue: {in: orders, reply: orders:reply}\n"
                                             "    timeout: 8000\n"
                                             "    route: [RateLimitFilter.singleton, RedisExporter.singleton]\n"
                                             "  RateLimitFilter.singleton: {limit: 100, periodMillis: 1000}\n"
                                             "  RedisExporter.singleton: {queue: {out: orders:work}}\n"}},
        &check};
    return made;
}

} // namespace leat::routing
