#include "movers/mpush_settings.hpp"

#include "runtime/redis_field.hpp"

#include <algorithm>

namespace leat::movers {
namespace {

constexpr auto description =
    R"(A publisher pushes a message to the left of `in`; mpush moves it to the left of every list of `out`,
one list per subscriber. A subscriber takes from the right of its own list, when it is there.

A message is in every `out` or still in `in`, never in between: a batch is moved by one script that undoes what it pushed
when any part of it fails. So nothing is lost and nothing is delivered twice when mpush is killed, when the connection is
cut at any point, or when Redis restarts with what it had confirmed. Any number of replicas may run on the same queues;
each message is moved once, in the order of `in`.
)";

// A list that feeds itself would never be empty again.
void check_loops(const mpush_settings& given, const config::reporter& at) {
    for (std::size_t i = 0; i < given.out.size(); ++i) {
        if (given.out[i] == given.in) {
            at.error("out", i, "`" + given.in + "` is also `in`: every message would come back for ever");
        }
        if (given.pending && given.out[i] == *given.pending) {
            at.error("pending", "`" + *given.pending + "` is also one of `out`");
        }
    }
    if (given.service_namespace && !given.service_redis) {
        for (const auto& [name, key] : {std::pair{"done", done_of(given)}, std::pair{"dead", dead_of(given)}}) {
            if (key == given.in || std::ranges::find(given.out, key) != given.out.end()) {
                at.error(name, "`" + key + "` is also `in` or one of `out`");
            }
        }
    }
    if (given.pending && *given.pending == given.in) {
        at.error("pending", "`" + given.in + "` is also `in`: every message would come back for ever");
    }
}

void check_all(const mpush_settings& given, const config::reporter& at) {
    check_loops(given, at);
    tracking::check_tracking_settings(given, at);
}

config::spec<mpush_settings> make_spec() {
    using config::field;
    using settings = mpush_settings;
    config::spec<settings> made{
        "mpush",
        "Copies each message of `in` to every `out`.",
        description,
        {
            runtime::redis_field(&settings::redis),
            tracking::tracking_field("serviceRedis"),
            tracking::tracking_field("serviceNamespace"),
            field("in", &settings::in, "List that publishers push to.").example("demo:mpush:in").required().not_empty(),
            field(
                "pending", &settings::pending,
                "Where the original mpush keeps the message in flight. Leat keeps none; what a dead original left "
                "there goes back to `in` when serviceNamespace is set and no other living service is registered in it.")
                .not_empty()
                .example("demo:mpush:pending"),
            runtime::pop_timeout_field(),
            field("out", &settings::out, "Lists that each get every message, one per subscriber.")
                .example(std::vector<std::string>{"demo:mpush:out0", "demo:mpush:out1"})
                .required()
                .at_least(1)
                .distinct()
                .not_empty(),
            tracking::tracking_field("done"),
            field(
                "maxLength", &settings::max_length,
                "While an `out` is as long as this, nothing is moved, so that a dead subscriber does not fill Redis. "
                "0: no "
                "limit.")
                .example(std::int64_t{1000000})
                .range(0, 1'000'000'000),
            tracking::tracking_field("serviceExpire"),
            tracking::tracking_field("serviceRenew"),
            tracking::tracking_field("serviceCapacity"),
            tracking::tracking_field("messageExpire"),
            tracking::tracking_field("messageTimeout"),
            tracking::tracking_field("messageCapacity"),
            tracking::tracking_field("await"),
            tracking::tracking_field("retry"),
            tracking::tracking_field("dead"),
            tracking::tracking_field("overCapacity"),
        },
        {
            {"two subscribers", "in: demo:mpush:in\nout:\n- demo:mpush:out0\n- demo:mpush:out1\n"},
            {"all that the original knew", "redis: redis://localhost:6379/0\n"
                                           "serviceRedis: redis://localhost:6379/1\n"
                                           "serviceNamespace: demo:mpush\n"
                                           "popTimeout: 10\n"
                                           "in: demo:mpush:in\n"
                                           "pending: demo:mpush:pending\n"
                                           "out: [demo:mpush:out0, demo:mpush:out1]\n"
                                           "done: demo:mpush:done\n"},
            {"every subscriber reports, and what none reports is delivered again",
             "in: orders\nout: [orders:billing, orders:mail]\nserviceNamespace: orders\nmessageTimeout: 30\n"
             "messageExpire: 120\nmessageCapacity: 100000\nawait: all\nretry: {attempts: 5, first: 2, max: 300}\n"},
            {"a subscriber may be away, but not for ever",
             "redis: ${REDIS_URL:redis://localhost:6379}\nin: orders\nout: [orders:billing, orders:mail]\nmaxLength: "
             "1000000\n"},
        }};
    made.cross_check(&check_all);
    return made;
}

} // namespace

const config::spec<mpush_settings>& mpush_spec() {
    static const auto made = make_spec();
    return made;
}

} // namespace leat::movers
