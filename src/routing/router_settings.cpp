#include "routing/router_settings.hpp"

#include "routing/route_config.hpp"
#include "runtime/redis_field.hpp"

namespace leat::routing {
namespace {

constexpr auto beginning =
    R"(Runs Redix routes: importers take messages from lists, a route is a list of processors that each message goes through,
exporters push it to where it is worked on, and the reply travels back along the route.

`configs` declares the processors, as a map of their names or as a list with `processorName`. A name is a type, and behind a dot
the name of an instance: `RateLimitFilter.singleton`; folders before the type, as in `filter.RateLimitFilter.singleton`, mean
nothing. `leat router FOLDER` takes a folder with a file for each processor, named after it, and with the settings of this page
in `redix.yaml` when it is there.

| type | does |
|---|---|
)";

constexpr auto end = R"(
Every route is resolved and checked before anything starts: unknown processors, routes that end nowhere, routes that go round.
SIGHUP, or `--watch` when a file changes, reads the configuration again: a bad one is refused and logged, and the old one stays in use;
messages under way end on the routes that they began on.
)";

std::string description(const processor_table& known) {
    std::string made = beginning;
    for (const auto& each : known) {
        const auto& name = each.spec->name();
        made += "| [" + name + "](" + name + ".md) | " + each.spec->summary() + " |\n";
    }
    return made + end;
}

} // namespace

config::spec<router_settings> router_spec(const processor_table& known) {
    using settings = router_settings;
    using runtime::service_field;
    return {
        "router",
        "Runs routes: importers, chains of processors, exporters, replies.",
        description(known),
        {
            config::field("description", &settings::description, "For people.").example("Orders of the shop"),
            runtime::redis_field(&settings::redis, "Server of the lists that do not name another."),
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
        [&known](const router_settings& given, const config::reporter& at) {
            runtime::check_service_settings(given, at);
            read_configs(given.configs, known, at.found());
        }};
}

} // namespace leat::routing
