#pragma once

#include "cli/demo/stage.hpp"

namespace leat::cli {

// Two conversations over a bridge: slow bots, failing clients, late acknowledgements; each client gets its replies in
// order.
runtime::exit_code play_bridge_demo(demo_words words);

} // namespace leat::cli
