#pragma once

#include "taking/verdict.hpp"
#include "workers/command_run.hpp"
#include "workers/exec_settings.hpp"

namespace leat::workers {

// What becomes of a message when its run has ended so. Pure. Of a command that could not be started nothing is known:
// that is not the message's fault, and not asked here.
taking::verdict verdict_of(const exec_settings& settings, command_end ended);

} // namespace leat::workers
