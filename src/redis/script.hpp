#pragma once

#include "redis/link.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace leat::redis {

// A Lua script as embedded at build time. The generated functions of store/ make the calls.
struct script {
    std::string_view name;
    std::string_view sha1;
    std::string_view text;
};

struct script_call {
    const script* what = nullptr;
    std::vector<std::string> keys;
    std::vector<std::string> arguments;
};

// EVALSHA; where the server does not know the script (restart, SCRIPT FLUSH, failover), EVAL, which also loads it.
boost::asio::awaitable<result<reply>> run_script(link& server, script_call call);

} // namespace leat::redis
