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

// The same, but the script sees `now` (milliseconds) wherever it asks for the time; expiries count from the real one.
inline answer run_call_at(client& as, const redis::script_call& call, std::int64_t now) {
    std::string text{call.what->text};
    text.insert(
        text.find('\n') + 1, R"(
local real = redis
local function at(given) return function(name, ...)
    if name == 'TIME' then return {')" +
                                 std::to_string(now / 1000) + "', '" + std::to_string(now % 1000 * 1000) + R"('} end
    return given(name, ...)
end end
local redis = setmetatable({call = at(real.call), pcall = at(real.pcall)}, {__index = real})
)");
    std::vector<std::string> words{"EVAL", text, std::to_string(call.keys.size())};
    words.insert(words.end(), call.keys.begin(), call.keys.end());
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    return as.call(words);
}

} // namespace leat::tests
