#pragma once

#include "redis/script.hpp"
#include "support/private_server.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace leat::tests {

// An answer as our own client has it, for store::read_answer.
inline void add_nodes(const answer& from, std::size_t depth, redis::reply& to) {
    using type = redis::node::type;
    auto is = from.is == answer::type::list    ? type::group
              : from.is == answer::type::whole ? type::whole
              : from.is == answer::type::error ? type::error
              : from.is == answer::type::null  ? type::null
                                               : type::text;
    to.nodes.push_back({is, depth, is == type::whole ? std::to_string(from.whole) : from.text});
    for (const auto& each : from.items) {
        add_nodes(each, depth + 1, to);
    }
}
inline redis::reply reply_of(const answer& from) {
    redis::reply made;
    add_nodes(from, 0, made);
    return made;
}

// What a script has answered: as it came, and read, unless it is an error.
template <class Call>
struct answer_of : answer {
    explicit answer_of(answer given)
        : answer{std::move(given)} {
        if (!failed()) {
            EXPECT_TRUE(read_answer(reply_of(*this), seen));
        }
    }
    const typename Call::outcome* operator->() const {
        EXPECT_FALSE(failed()) << text;
        return &seen;
    }
    typename Call::outcome seen;
};

// Runs a call of a script by its text, over a client that is not ours.
inline answer run_call(client& as, const redis::script_call& call) {
    std::vector<std::string> words{"EVAL", std::string{call.what->text}, std::to_string(call.keys.size())};
    words.insert(words.end(), call.keys.begin(), call.keys.end());
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    return as.call(words);
}

template <class Call>
answer_of<Call> run_verb(client& as, Call given) {
    return answer_of<Call>{run_call(as, make_call(std::move(given)))};
}

// The same as run_call, but the script sees `now` (milliseconds) wherever it asks for the time; expiries count from the
// real one.
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
