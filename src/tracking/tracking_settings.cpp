#include "tracking/tracking_settings.hpp"

#include "store/keys.hpp"

namespace leat::tracking {
namespace {

config::typed_field<tracking_settings> retry_group() {
    using config::field;
    auto fields = runtime::pause_fields<retry_settings>("Pause between a timeout and the second delivery.");
    fields.insert(
        fields.begin(),
        field("attempts", &retry_settings::attempts, "Deliveries in all, the first one counted.").range(1, 100));
    return config::group(
               "retry", &tracking_settings::retry,
               "A message that has timed out is delivered again, to those that have not reported it done, and goes to "
               "`dead` when its attempts are used up. Its body is kept in Redis until then.",
               std::move(fields))
        .needs("serviceNamespace");
}

std::vector<config::typed_field<tracking_settings>> all_fields() {
    using config::field;
    using settings = tracking_settings;
    return {
        field(
            "done", &settings::done,
            "List that workers push the id of a finished message to, or ID:OUT, beside the message keys "
            "(`serviceRedis`). Default: `<serviceNamespace>:message:done`.")
            .not_empty()
            .needs("serviceNamespace")
            .example("demo:mpush:done"),
        field(
            "dead", &settings::dead,
            "List of the messages whose attempts are used up, beside the message keys; what is known of each is in the "
            "hash `<dead>:story`. Default: `<serviceNamespace>:message:dead`.")
            .not_empty()
            .needs("retry")
            .example("demo:mpush:dead"),
        field(
            "messageExpire", &settings::message_expire,
            "How long what is known of a message stays in Redis when nobody looks after it; with `retry` so long after "
            "its last attempt.")
            .range(2, 604'800)
            .unit("s")
            .needs("serviceNamespace"),
        field("messageTimeout", &settings::message_timeout, "A message that is not done after so long has timed out.")
            .range(1, 86'400)
            .unit("s")
            .needs("serviceNamespace"),
        field(
            "messageCapacity", &settings::message_capacity,
            "How many messages are tracked at once. Further ones are delivered untracked, and counted.")
            .range(1, 10'000'000)
            .needs("serviceNamespace"),
        field(
            "await", &settings::await,
            "Whose report ends a message: the first, or `all`: every `out` has to report, as ID:OUT.")
            .choices({"first", "all"})
            .needs("serviceNamespace"),
        field(
            "overCapacity", &settings::over_capacity,
            "What happens to a message beyond messageCapacity: `deliver` it untracked, or let it `wait` in its queue.")
            .choices({"deliver", "wait"})
            .needs("retry"),
        retry_group(),
    };
}

} // namespace

config::typed_field<tracking_settings> tracking_field(std::string_view name) {
    if (auto found = config::field_named(all_fields(), name)) {
        return std::move(*found);
    }
    return runtime::service_field(name);
}

std::string done_of(const tracking_settings& settings) {
    return settings.done.value_or(store::message_keys{*settings.service_namespace}.done());
}

std::string dead_of(const tracking_settings& settings) {
    return settings.dead.value_or(store::message_keys{*settings.service_namespace}.dead());
}

void check_tracking_settings(const tracking_settings& given, const config::reporter& at) {
    runtime::check_service_settings(given, at);
    if (given.message_expire <= given.message_timeout) {
        at.error(
            "messageExpire", "messageExpire must be larger than messageTimeout (" +
                                 std::to_string(given.message_timeout) +
                                 "), or a message is forgotten before its timeout is seen");
    }
    if (given.retry && given.retry->max < given.retry->first) {
        at.error("retry.max", "retry.max must not be smaller than retry.first");
    }
    if (given.service_namespace && done_of(given) == dead_of(given)) {
        at.error("dead", "`" + dead_of(given) + "` is also `done`");
    }
}

} // namespace leat::tracking
