#pragma once

#include "config/spec.hpp"

namespace leat::config {

struct common_settings {
    std::string redis = "redis://localhost:6379/0";
    std::optional<std::string> service_namespace;
};

struct sample_settings : common_settings {
    std::string in;
    std::vector<std::string> out;
    std::int64_t pop_timeout = 5;
    std::optional<std::int64_t> message_timeout;
    double ratio = 0.5;
    bool flag = false;
    std::string mode = "fast";
    std::string token;
    std::optional<std::string> pending;
};

inline std::optional<std::string> check_scheme(std::string_view url) {
    return url.starts_with("redis://") ? std::nullopt : std::optional{"not a Redis URL: " + std::string{url}};
}

inline spec<sample_settings> make_sample(std::string name = "mpush") {
    return spec<sample_settings>{
        std::move(name),
        "Copies each message of `in` to every `out`.",
        "Longer words.",
        {field("redis", &common_settings::redis, "Server of the queues.").secret(secrecy::url).check(&check_scheme),
         field("serviceNamespace", &common_settings::service_namespace, "Where it registers."),
         field("in", &sample_settings::in, "Queue to take from.").required().not_empty(),
         field("out", &sample_settings::out, "Queues to push to.").required().at_least(1).distinct().not_empty(),
         field("popTimeout", &sample_settings::pop_timeout, "Longest idle wait.").range(1, 30).unit("s"),
         field("messageTimeout", &sample_settings::message_timeout, "Deadline | of a message.")
             .range(1, 3600)
             .needs("serviceNamespace"),
         field("ratio", &sample_settings::ratio, "A share.").range(0, 1),
         field("flag", &sample_settings::flag, "A switch."),
         field("mode", &sample_settings::mode, "How.").choices({"fast", "safe"}),
         field("token", &sample_settings::token, "A secret.").secret(secrecy::whole),
         field("pending", &sample_settings::pending, "Working queue.")},
        {{"Two subscribers", "in: demo:in\nout: [a, b]\n"}, {"Slow", "in: demo:in\nout: [a]\npopTimeout: 30\n"}}};
}

} // namespace leat::config
