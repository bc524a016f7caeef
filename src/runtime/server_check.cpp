#include "runtime/server_check.hpp"

#include <cstdlib>
#include <string_view>

namespace leat::runtime {
namespace {

std::string_view field_of(std::string_view info, std::string_view name) {
    auto found = info.find(name);
    if (found == std::string_view::npos) {
        return {};
    }
    auto value = info.substr(found + name.size());
    return value.substr(0, value.find_first_of("\r\n"));
}

boost::asio::awaitable<redis::result<std::string>> info(redis::link& server, std::string section) {
    redis::command words{"INFO", std::move(section)};
    auto answer = co_await server.call(std::move(words));
    if (!answer) {
        co_return answer.error();
    }
    co_return std::string{answer->text()};
}

} // namespace

boost::asio::awaitable<redis::result<void>> check_server(redis::link& server, base::log_ptr log) {
    auto about = co_await info(server, "server");
    auto memory = co_await info(server, "memory");
    if (!server.connected()) {
        co_return redis::failure{redis::error_class::find_server, "no connection", false, server.connects()};
    }
    if (about) {
        auto version = field_of(*about, "redis_version:");
        if (!version.empty() && std::atoi(std::string{version}.c_str()) < 7) { // NOLINT(cert-err34-c): 0 is too old too
            co_return redis::failure{
                redis::error_class::stop,
                "the server is version " + std::string{version} + "; Redis 7.0 or Valkey 7.2 is needed"};
        }
    }
    if (memory) {
        auto policy = field_of(*memory, "maxmemory_policy:");
        auto limit = field_of(*memory, "maxmemory:");
        if (!policy.empty() && policy != "noeviction" && limit != "0") {
            log->warn("Redis may evict messages, set maxmemory-policy to noeviction policy={}", policy);
        }
    }
    co_return redis::result<void>{};
}

} // namespace leat::runtime
