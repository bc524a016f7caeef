#pragma once

#include "redis/script.hpp"
#include "support/private_server.hpp"

#include <string>
#include <vector>

namespace leat::tests {

// Runs a call of a script by its text, over a client that is not ours.
inline answer run_call(client& as, const redis::script_call& call) {
    std::vector<std::string> words{"EVAL", std::string{call.what->text}, std::to_string(call.keys.size())};
    words.insert(words.end(), call.keys.begin(), call.keys.end());
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    return as.call(words);
}

} // namespace leat::tests
