#pragma once

#include "taking/taking_settings.hpp"

namespace leat::workers {

struct exec_settings : taking::taking_settings {
    std::vector<std::string> command;
    std::string input = "stdin";
    std::optional<std::string> reply;
    std::int64_t timeout = 60;
    std::int64_t stop_timeout = 10;
    std::int64_t max_output = 1 << 20;
    std::vector<std::string> dead_codes{"65"};
    std::vector<std::string> environment;
    std::optional<std::string> folder;
};

const config::spec<exec_settings>& exec_spec();

} // namespace leat::workers
