#include "store/service.hpp"

#include "store/keys.hpp"
#include "store/run_verb.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace leat::store {
namespace {

// Whatever somebody has made of it.
std::vector<std::pair<std::string, std::string>> read_roles(const std::string& text) {
    std::vector<std::pair<std::string, std::string>> found;
    boost::system::error_code wrong;
    auto parsed = boost::json::parse(text, wrong);
    if (wrong || !parsed.is_object()) {
        return found;
    }
    for (const auto& [role, keys] : parsed.get_object()) {
        for (const auto& key : keys.is_array() ? keys.get_array() : boost::json::array{}) {
            if (key.is_string()) {
                found.emplace_back(role, key.get_string());
            }
        }
    }
    return found;
}

} // namespace

boost::asio::awaitable<redis::result<std::vector<std::string>>> namespaces(redis::link& server) {
    redis::command words{"SMEMBERS", service_keys::namespaces()};
    auto answer = co_await server.call(std::move(words));
    if (!answer) {
        co_return answer.error();
    }
    auto texts = answer->texts();
    std::vector<std::string> found{texts.begin(), texts.end()};
    std::ranges::sort(found);
    co_return found;
}

boost::asio::awaitable<redis::result<std::vector<listed_service>>> list_services(
    redis::link& server, std::string name_space) {
    list_services_call given{.keys = service_keys{name_space}};
    auto answer = co_await run_verb<list_services_outcome>(server, std::move(given));
    if (!answer) {
        co_return answer.error();
    }
    std::vector<listed_service> found;
    for (auto& row : answer->rows) {
        listed_service one{
            .name_space = name_space,
            .id = std::move(row.id),
            .host = std::move(row.host),
            .pid = std::move(row.pid),
            .started = row.started,
            .renewed = row.renewed,
            .kind = std::move(row.kind),
            .name = std::move(row.name),
            .version = std::move(row.version),
            .queues = std::move(row.queues),
            .roles = read_roles(row.roles),
            .server = std::move(row.server),
            .ttl = row.ttl};
        one.age = answer->now - std::max(one.started, one.renewed);
        found.push_back(std::move(one));
    }
    co_return found;
}

boost::asio::awaitable<redis::result<bool>> ask_to_stop(redis::link& server, std::string name_space, std::string id) {
    redis::command words{"DEL", service_keys{name_space}.prefix() + id};
    auto answer = co_await server.call(std::move(words));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->whole() == 1;
}

} // namespace leat::store
