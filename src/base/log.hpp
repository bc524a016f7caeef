#pragma once

#include <spdlog/logger.h>

#include <memory>
#include <string>
#include <string_view>

namespace leat::base {

using log_ptr = std::shared_ptr<spdlog::logger>;

// A line is `TIME LEVEL name: fixed sentence key=value ...`, on standard error. Under systemd the journal has the time.
// Quiet in normal work: a state change is info, a retried fault warn, lost work error.
log_ptr create_log(std::string name);

// trace, debug, info, warn, error or off, for the loggers made from now on. False: no such level.
bool set_log_level(std::string_view level);

} // namespace leat::base
