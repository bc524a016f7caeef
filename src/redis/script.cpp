#include "redis/script.hpp"

namespace leat::redis {
namespace {

command words_of(const script_call& call, bool by_hash) {
    command words;
    words.reserve(3 + call.keys.size() + call.arguments.size());
    words.emplace_back(by_hash ? "EVALSHA" : "EVAL");
    words.emplace_back(by_hash ? call.what->sha1 : call.what->text);
    words.push_back(std::to_string(call.keys.size()));
    words.insert(words.end(), call.keys.begin(), call.keys.end());
    words.insert(words.end(), call.arguments.begin(), call.arguments.end());
    return words;
}

} // namespace

boost::asio::awaitable<result<reply>> run_script(link& server, script_call call) {
    auto answer = co_await server.call(words_of(call, true));
    if (!answer && answer.error().kind == error_class::no_script) {
        answer = co_await server.call(words_of(call, false));
    }
    co_return answer;
}

} // namespace leat::redis
