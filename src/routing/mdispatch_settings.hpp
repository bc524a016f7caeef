#pragma once

#include "config/spec.hpp"
#include "store/keys.hpp"
#include "taking/taking_settings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace leat::routing {

struct mdispatch_settings : taking::taking_settings {
    mdispatch_settings() { concurrency = 100; }

    std::string workers;
    std::optional<std::string> reply;
    std::optional<std::string> answers;
    std::int64_t timeout = 10'000;
    std::vector<std::string> reply_prefixes;

    std::string answers_prefix() const { return answers.value_or(store::answers_beside(workers)); }
};

const config::spec<mdispatch_settings>& mdispatch_spec();

} // namespace leat::routing
