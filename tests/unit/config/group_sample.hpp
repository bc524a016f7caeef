#pragma once

#include "config/spec.hpp"

namespace leat::config {

struct alarm_settings {
    std::string to;
    std::string token;
};

struct retry_settings {
    std::int64_t attempts = 3;
    double first = 1;
    bool jitter = true;
    std::vector<std::string> only;
    std::optional<std::string> dead;
    std::optional<alarm_settings> alarm;
};

struct delivery_settings {
    std::optional<std::string> service_namespace;
    std::optional<retry_settings> retry;
};

// Extends the struct that has the group, as the settings of a kind do.
struct courier_settings : delivery_settings {
    std::string in;
    std::int64_t limit = 10;
};

inline typed_field<delivery_settings> retry_group() {
    return group(
               "retry", &delivery_settings::retry, "What is done about a timeout.",
               {field("attempts", &retry_settings::attempts, "Deliveries in all.").range(1, 100),
                field("first", &retry_settings::first, "Time before the second.").range(0, 86400).unit("s"),
                field("jitter", &retry_settings::jitter, "Whether times vary."),
                field("only", &retry_settings::only, "Queues.").distinct(),
                field("dead", &retry_settings::dead, "Where the last one goes.").example("dead"),
                group(
                    "alarm", &retry_settings::alarm, "Who is told.",
                    {field("to", &alarm_settings::to, "Name.").required().not_empty().example("ops"),
                     field("token", &alarm_settings::token, "A secret.").secret(secrecy::whole)})
                    .needs("retry.dead")})
        .needs("serviceNamespace");
}

inline spec<courier_settings> make_courier() {
    return spec<courier_settings>{
        "courier",
        "Delivers.",
        "",
        {field("serviceNamespace", &courier_settings::service_namespace, "Where it registers.").example("ns"),
         field("in", &courier_settings::in, "Queue.").required(), retry_group(),
         field("limit", &courier_settings::limit, "Most.").needs("retry")},
        {{"Plain", "in: i\n"}}};
}

} // namespace leat::config
