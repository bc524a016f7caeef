#pragma once

#include "cli/demo/stage.hpp"

namespace leat::cli {

// Two replicas of mpush survive a kill and a restart of Redis.
runtime::exit_code play_mpush_demo(demo_words words);

} // namespace leat::cli
