#include "taking/taking_settings.hpp"

#include "redis/url.hpp"
#include "runtime/redis_field.hpp"
#include "store/keys.hpp"

namespace leat::taking {
namespace {

std::vector<config::typed_field<flight_settings>> flight_fields() {
    using config::field;
    using settings = flight_settings;
    return {
        field(
            "concurrency", &settings::concurrency,
            "How many messages are in work at a time, and at most taken. With 1 and one instance they are done in "
            "their order, each settled before the next is begun.")
            .range(1, 10'000),
        field(
            "maxDeliveries", &settings::max_deliveries,
            "A message that failed, or was in flight when an instance died, so often is given up.")
            .also_called({"maxRetries", "retries", "maxAttempts", "attempts"})
            .range(1, 1000),
        field(
            "maxMessageBytes", &settings::max_message_bytes,
            "A message that is larger is given up as TooLarge, and so is one whose result would be; an "
            "asker gets this error.")
            .range(1024, 536'870'912)
            .unit("bytes"),
        field(
            "maxBytesInFlight", &settings::max_bytes_in_flight,
            "No more messages are taken, and no more answers of workers read, while those in flight, with what is to "
            "be "
            "pushed for them, have so many bytes.")
            .range(1024, 8'589'934'592)
            .unit("bytes"),
        field(
            "lease", &settings::lease,
            "An instance that was not heard of for so long counts as dead: what it had in flight goes to others, and "
            "it cannot acknowledge it any more.")
            .range(2, 3600)
            .unit("s"),
        runtime::pop_timeout_field(),
    };
}

std::vector<config::typed_field<taking_settings>> queue_fields() {
    using config::field;
    using settings = taking_settings;
    return {
        runtime::redis_field(&settings::redis),
        field("in", &settings::in, "List that messages are taken from.").example("orders").required().not_empty(),
        field(
            "pending", &settings::pending,
            "Prefix of the keys for what is taken and not settled: `<pending>:<id>` is what one instance has in "
            "flight. Default: `<in>:pending`.")
            .not_empty()
            .example("orders:pending"),
        field(
            "dead", &settings::dead,
            "List of the messages that were given up; what is known of each is in the hash `<dead>:story`. Default: "
            "`<in>:dead`.")
            .not_empty()
            .example("orders:dead"),
        field(
            "done", &settings::done,
            "A message that is tracked in serviceNamespace, because an mpush there has delivered it, is reported to "
            "this "
            "list when it is done, as ID:IN. Default: `<serviceNamespace>:message:done`. Not with serviceRedis "
            "elsewhere.")
            .not_empty()
            .needs("serviceNamespace")
            .example("demo:mpush:done"),
        config::group(
            "retry", &settings::retry,
            "Pauses before a message that failed is delivered again; left out, these defaults hold. With `first: 0` it "
            "is next again at once, so that with concurrency 1 none overtakes it.",
            runtime::pause_fields<runtime::pauses>("Pause between a failure and the second delivery.")),
    };
}

} // namespace

config::typed_field<flight_settings> flight_field(std::string_view name) {
    return config::field_named(flight_fields(), name).value();
}

config::typed_field<taking_settings> taking_field(std::string_view name) {
    if (auto found = config::field_named(queue_fields(), name)) {
        return *found;
    }
    if (auto found = config::field_named(flight_fields(), name)) {
        return *found;
    }
    return runtime::service_field(name);
}

std::string pending_of(const taking_settings& settings) {
    return settings.pending.value_or(store::pending_beside(settings.in));
}

std::string dead_of(const taking_settings& settings) {
    return settings.dead.value_or(store::dead_beside(settings.in));
}

std::string done_of(const taking_settings& settings) {
    return settings.done.value_or(store::message_keys{*settings.service_namespace}.done());
}

work work_of(const flight_settings& settings) {
    work made;
    made.concurrency = settings.concurrency;
    made.max_deliveries = settings.max_deliveries;
    made.max_message_bytes = static_cast<std::size_t>(settings.max_message_bytes);
    made.max_bytes_in_flight = static_cast<std::size_t>(settings.max_bytes_in_flight);
    made.lease = std::chrono::seconds{settings.lease};
    made.tick = std::chrono::seconds{settings.pop_timeout};
    return made;
}

work work_of(const taking_settings& settings) {
    auto made = work_of(static_cast<const flight_settings&>(settings));
    made.in = settings.in;
    made.pending = pending_of(settings);
    made.dead = dead_of(settings);
    made.pauses = settings.retry.value_or(runtime::pauses{});
    return made;
}

std::optional<name_space_home> name_space_of(const runtime::service_settings& settings, const std::string& redis) {
    if (!settings.service_namespace) {
        return std::nullopt;
    }
    auto server = redis::parse_url(settings.service_redis.value_or(redis)).value();
    return name_space_home{
        server, *settings.service_namespace, store::message_keys{*settings.service_namespace}.done()};
}

std::optional<name_space_home> name_space_of(const taking_settings& settings) {
    auto made = name_space_of(settings, settings.redis);
    if (made) {
        made->reports = done_of(settings);
    }
    return made;
}

runtime::service_queues queues_of(const taking_settings& settings, const std::optional<std::string>& reply) {
    runtime::service_queues queues{
        redis::parse_url(settings.redis).value(),
        {{"in", {settings.in}}, {"pending", {pending_of(settings)}}, {"dead", {dead_of(settings)}}}};
    if (reply) {
        queues.roles.push_back({"reply", {*reply}});
    }
    return queues;
}

void check_taking_settings(
    const taking_settings& given, const std::vector<std::pair<std::string, std::string>>& outs,
    const config::reporter& at) {
    runtime::check_service_settings(given, at);
    if (dead_of(given) == given.in) {
        at.error("dead", "`" + given.in + "` is also `in`: every message would come back for ever");
    }
    auto below = store::taking_keys{pending_of(given)}.below();
    if (pending_of(given) == given.in || given.in.starts_with(below)) {
        at.error("pending", "`" + given.in + "`, which is `in`, is it or one of the keys below it");
    }
    if (dead_of(given).starts_with(below)) {
        at.error("dead", "`" + dead_of(given) + "` is one of the keys below `pending`");
    }
    if (given.retry && given.retry->max < given.retry->first) {
        at.error("retry.max", "retry.max must not be smaller than retry.first");
    }
    for (const auto& [setting, out] : outs) {
        if (out == given.in) {
            at.error(setting, "`" + out + "` is also `in`: every message would come back for ever");
        } else if (out == dead_of(given) || out == store::story_of(dead_of(given))) {
            at.error(setting, "`" + out + "` is also `dead`, or beside it");
        } else if (out.starts_with(below)) {
            at.error(setting, "`" + out + "` is one of the keys below `pending`");
        }
    }
}

} // namespace leat::taking
