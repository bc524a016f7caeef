#include "bridge/bridge_settings.hpp"

#include "store/keys.hpp"

namespace leat::bridge {
namespace {

constexpr auto description =
    R"(Brings responses to clients in order, per conversation: a response waits while an earlier request has no reply yet, and
while an earlier response is still there.

Whoever talks to users pushes what comes in, and what the bots answer, to `in`; gateways take deliveries from `<out>:<origin>`, one
list per origin, and push how each ended to `answers`. All are JSON; ids are texts, `body` is any JSON.

    in        {"type":"request","conversationId":"c1","requestId":"r1","origin":"whatsapp"}
              {"type":"response","conversationId":"c1","requestId":"r1","responseId":"a1","origin":"whatsapp","body":{"text":"hello"}}
              {"type":"ack","asyncResponseId":"wamid.1","origin":"whatsapp"}
              {"type":"ack","asyncResponseId":"wamid.1","status":"error","recoverable":true,"reason":"busy"}
              {"type":"cancel","requestId":"r1"}
    delivery  {"conversationId":"c1","requestId":"r1","responseId":"a1","origin":"whatsapp","order":"1700000000000.1",
               "fence":1700000000000123,"deadline":1700000025000,"attempt":1,"body":{"text":"hello"}}
    answers   {"conversationId":"c1","requestId":"r1","responseId":"a1","fence":1700000000000123,"status":"sent"}
              {...,"status":"sent","asyncResponseId":"wamid.1"}
              {...,"status":"recoverable","reason":"503","retryAfter":60000}
              {...,"status":"fatal","reason":"no such user"}

`request` may have a `requestTimestamp`, `response` a `responseTimestamp`, `corr`, and `more: true` when further replies follow. A
delivery is to be sent before its `deadline` or not at all; after the lease (maxPendingTtl) it is delivered again, with a higher
`fence`. With `asyncResponseId` the message counts as delivered when its `ack` comes, which may be before the answer, or after
sentMessageTtl. A recoverable failure puts all replies to the request off, by a pause that grows; a fatal one cancels them, and
what still comes for the request. Cancelled responses go to `dead`.

Any number of instances may run. What one of them was doing when it died goes on when the lease ends.
)";

void check(const bridge_settings& given, const config::reporter& at) {
    taking::check_taking_settings(given, {{"answers", given.answers}, {"out", given.out}}, at);
    if (given.database != "REDIS") {
        at.error(
            "database",
            "leat keeps conversations in Redis only; MONGODB, the default of the original, is not supported. "
            "Set it to REDIS or leave it out");
    }
    for (const auto& [name, key] :
         {std::pair{"in", given.in}, std::pair{"out", store::bridge_keys::origin_lists(given.out)},
          std::pair{"answers", given.answers}, std::pair{"dead", taking::dead_of(given)},
          std::pair{"pending", taking::pending_of(given)}}) {
        if (key.starts_with(given.prefix) || given.prefix.starts_with(key)) {
            at.error(name, "`" + key + "` is among the keys of the bridge, which begin with " + given.prefix);
        }
    }
    for (const auto& [name, key] :
         {std::pair{"in", given.in}, std::pair{"answers", given.answers}, std::pair{"dead", taking::dead_of(given)},
          std::pair{"pending", taking::pending_of(given)}}) {
        if (key.starts_with(store::bridge_keys::origin_lists(given.out))) {
            at.error(
                "out", "an origin's list `" + store::bridge_keys::origin_list(given.out, "ORIGIN") + "` could be `" +
                           name + "`");
        }
    }
    if (given.max_pending_ttl_margin >= given.max_pending_ttl) {
        at.error(
            "maxPendingTtlMargin",
            "maxPendingTtlMargin must be smaller than maxPendingTtl: nothing would be left to send in");
    }
    if (given.max_pending_ttl >= given.awaited_message_ttl) {
        at.error(
            "awaitedMessageTtl",
            "awaitedMessageTtl must be larger than maxPendingTtl: a message would not outlive its first try");
    }
    if (given.keep_ttl < given.awaited_message_ttl) {
        at.error(
            "keepTtl", "keepTtl must not be smaller than awaitedMessageTtl: Redis would end lives before leat does");
    }
    constexpr std::int64_t hour = 3'600'000;
    if (given.keep_ttl >= given.awaited_message_ttl && given.keep_ttl < given.awaited_message_ttl + hour) {
        at.warning(
            "keepTtl",
            "keepTtl (" + std::to_string(given.keep_ttl) +
                " ms) is not an hour longer than awaitedMessageTtl: Redis may remove responses that wait for "
                "room before they are sent");
    }
    // After a reconnect nobody is taken for dead for some seconds, and what is recovered waits for its turn.
    constexpr std::int64_t until_taken_over = 10'000;
    if (given.dedup_ttl < given.lease * 1000 + until_taken_over) {
        at.warning(
            "dedupTtl", "dedupTtl (" + std::to_string(given.dedup_ttl) + " ms) is smaller than lease (" +
                            std::to_string(given.lease) +
                            " s) and ten seconds: a reply that was delivered may be forgotten before what an instance "
                            "had in flight "
                            "when it died is taken over, and be delivered again");
    }
    if (given.sent_message_ttl > given.awaited_message_ttl) {
        at.error("sentMessageTtl", "sentMessageTtl must not be larger than awaitedMessageTtl, the life of a message");
    }
    if (given.max_retries * given.interval >= given.max_pending_ttl - given.max_pending_ttl_margin) {
        at.warning(
            "maxRetries",
            "maxRetries * interval is not smaller than maxPendingTtl - maxPendingTtlMargin: a message is let "
            "go before its validations are used up");
    }
}

// A variable of the original, and the way its documentation misspells it.
std::vector<std::string> variable(const std::string& name) {
    return {"AURA_QUEUE_MANAGER_" + name, "AURA_QUEUE_QUEUE_MANAGER_" + name};
}

config::typed_field<bridge_settings> time_field(
    std::string name, std::int64_t bridge_settings::* member, const std::string& of_original, std::string doc) {
    return config::field(std::move(name), member, std::move(doc))
        .range(1, 86'400'000)
        .unit("ms")
        .grouped()
        .environment(variable(of_original));
}

config::typed_field<bridge_settings> count_field(
    std::string name, std::int64_t bridge_settings::* member, const std::string& of_original, std::string doc) {
    return config::field(std::move(name), member, std::move(doc))
        .range(1, 100'000)
        .grouped()
        .environment(variable(of_original));
}

std::vector<config::typed_field<bridge_settings>> fields() {
    using config::field;
    using taking::taking_field;
    using settings = bridge_settings;
    return {
        taking_field("redis"),
        field("in", &settings::in, "List of requests, responses, acknowledgements and cancellations.").not_empty(),
        field("out", &settings::out, "Deliveries are pushed to `<out>:<origin>`.").not_empty(),
        field("answers", &settings::answers, "List of how deliveries ended.").not_empty(),
        field("prefix", &settings::prefix, "What the keys of the bridge begin with.").not_empty(),
        field("database", &settings::database, "Where conversations are kept. The original has MONGODB as its default.")
            .choices({"REDIS", "MONGODB"})
            .environment({"AURA_QUEUE_MANAGER_DATABASE", "AURA_QUEUE_QUEUE_MANAGER_DATABASE"}),
        time_field(
            "messageTtl", &settings::message_ttl, "MESSAGE_TTL",
            "How long a request without a reply holds up what comes after it."),
        time_field(
            "awaitedMessageTtl", &settings::awaited_message_ttl, "AWAITED_MESSAGE_TTL",
            "Life of a response. What was not delivered by then is given up, but each is tried at least once."),
        count_field(
            "awaitedMessagesByTurn", &settings::awaited_messages_by_turn, "AWAITED_MESSAGES_BY_TURN",
            "How many messages that are due are collected by one call; calls follow each other while they are full."),
        time_field(
            "awaitedMessagesInterval", &settings::awaited_messages_interval, "AWAITED_MESSAGES_INTERVAL",
            "Longest time between two looks for messages that are due, beside the looks at their dates."),
        field(
            "awaitedRetriesFactor", &settings::awaited_retries_factor,
            "The pause before the n-th retry is n times maxPendingTtl times this.")
            .range(0.001, 1000)
            .environment(variable("AWAITED_RETRIES_FACTOR")),
        time_field(
            "awaitedTimeWhenRetriesEnd", &settings::awaited_time_when_retries_end, "AWAITED_TIME_WHEN_RETRIES_END",
            "A response that has used up maxRetries is AWAITED for so long before it is tried again. So long is also "
            "the time "
            "between two looks at a gateway that is away."),
        time_field(
            "checkQueueInterval", &settings::check_queue_interval, "CHECK_QUEUE_INTERVAL",
            "Idle for so long, an instance stops its tick, and starts it again with the next message."),
        count_field(
            "concurrent", &settings::concurrent, "CONCURRENT",
            "How many responses an instance sends at a time; with concurrentFactor, how many deliveries it has on "
            "their way."),
        count_field(
            "concurrentFactor", &settings::concurrent_factor, "CONCURRENT_FACTOR",
            "An instance has at most concurrent times this on their way, or ready to go."),
        time_field(
            "interval", &settings::interval, "INTERVAL",
            "The tick by which an instance looks while no sign comes from Redis."),
        time_field(
            "maxPendingTtl", &settings::max_pending_ttl, "MAX_PENDING_TTL",
            "Length of a lease: a delivery whose outcome is not known by then is made again."),
        time_field(
            "maxPendingTtlMargin", &settings::max_pending_ttl_margin, "MAX_PENDING_TTL_MARGIN",
            "The deadline of a delivery is so much before the end of its lease."),
        count_field(
            "maxRetries", &settings::max_retries, "MAX_RETRIES",
            "How often it is tried, once a second, to push a delivery to a list that takes nothing, before it waits "
            "awaitedTimeWhenRetriesEnd and is tried so often again. In a memory queue of the library: how often it is "
            "asked "
            "whether a message can go. Not sends: these are maxAttempts."),
        time_field(
            "sentMessageTtl", &settings::sent_message_ttl, "SENT_MESSAGE_TTL",
            "How long an acknowledgement is awaited; then the message counts as delivered."),
        time_field(
            "metricsPartialInterval", &settings::metrics_partial_interval, "METRICS_PARTIAL_INTERVAL",
            "How often partial values are logged.")
            .needs("extraTimeMetrics"),
        field(
            "extraTimeMetrics", &settings::extra_time_metrics,
            "Log how many messages came, went and wait, and how long they took.")
            .environment({"AURA_LOGGING_EXTRA_TIME_METRICS"}),
        field(
            "dedupTtl", &settings::dedup_ttl,
            "How long a request is remembered after its last reply is delivered: a reply that comes twice is known, "
            "one that "
            "comes late goes before those of later requests.")
            .range(1, 86'400'000)
            .unit("ms"),
        field(
            "keepTtl", &settings::keep_ttl,
            "When nobody serves for so long, Redis removes what is left of a conversation. Leat itself ends lives by "
            "awaitedMessageTtl, whenever it is there.")
            .range(1, 31'536'000'000)
            .unit("ms"),
        field(
            "conversationCapacity", &settings::conversation_capacity,
            "Most requests, and most responses, that a conversation may have at a time; what comes beyond is tried "
            "again, and "
            "then goes to `dead`. 0: no limit.")
            .range(0, 1'000'000),
        field(
            "maxAttempts", &settings::max_attempts,
            "A response that failed so often is cancelled, with its group. 0: only its life ends it.")
            .range(0, 1'000'000),
        field(
            "events", &settings::events,
            "About so many of the last events (delivered, no-ack, cancelled, expired) are kept in the stream "
            "`<prefix>events`. 0: none.")
            .range(0, 100'000'000),
        taking_field("concurrency"),
        taking_field("maxDeliveries"),
        taking_field("maxMessageBytes"),
        taking_field("maxBytesInFlight"),
        taking_field("retry"),
        taking_field("dead"),
        taking_field("pending"),
        taking_field("lease"),
        taking_field("popTimeout"),
        taking_field("serviceRedis"),
        taking_field("serviceNamespace"),
        taking_field("serviceExpire"),
        taking_field("serviceRenew"),
        taking_field("serviceCapacity"),
    };
}

} // namespace

store::bridge_rules bridge_settings::rules() const {
    store::bridge_rules made;
    made.message_ttl = message_ttl;
    made.awaited_ttl = awaited_message_ttl;
    made.pending_ttl = max_pending_ttl;
    made.margin = max_pending_ttl_margin;
    made.sent_ttl = sent_message_ttl;
    made.dedup_ttl = dedup_ttl;
    made.keep_ttl = keep_ttl;
    made.retry_base = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(max_pending_ttl) * awaited_retries_factor));
    made.capacity = conversation_capacity;
    made.max_attempts = max_attempts;
    made.max_retries = max_retries;
    made.retries_end = awaited_time_when_retries_end;
    made.events_max = events;
    return made;
}

queue_rules bridge_settings::queue() const {
    using ms = std::chrono::milliseconds;
    return {
        .concurrent = concurrent,
        .factor = concurrent_factor,
        .max_retries = max_retries,
        .interval = ms{interval},
        .check_interval = ms{check_queue_interval},
        .max_pending = ms{max_pending_ttl},
        .margin = ms{max_pending_ttl_margin}};
}

awaited_agent::options bridge_settings::agent() const {
    using ms = std::chrono::milliseconds;
    awaited_agent::options made;
    made.interval = ms{awaited_messages_interval};
    made.by_turn = awaited_messages_by_turn;
    made.tick = ms{interval};
    made.idle = ms{check_queue_interval};
    return made;
}

const config::spec<bridge_settings>& bridge_spec() {
    static const config::spec<bridge_settings> made{
        "bridge",
        "Delivers responses in order per conversation, with groups, acknowledgements and retries.",
        description,
        fields(),
        {{"everything by default", "redis: redis://localhost:6379/0\n"},
         {"clients that are slow, and few retries",
          "in: chat:in\nout: chat:out\nanswers: chat:answers\nconcurrent: 100\nmaxPendingTtl: 60000\nmaxAttempts: 5\n"
          "serviceNamespace: chat\n"}},
        &check};
    return made;
}

} // namespace leat::bridge
