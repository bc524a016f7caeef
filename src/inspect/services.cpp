#include "inspect/services.hpp"

#include "inspect/trouble.hpp"

#include <algorithm>

namespace leat::inspect {
namespace {

using boost::asio::awaitable;

config::value as_value(const service& one) {
    auto made = config::value::of_map();
    auto text = [&made](const char* name, const std::string& content) {
        made.set(name, config::value::of_text(content));
    };
    auto whole = [&made](const char* name, std::int64_t content) { made.set(name, config::value::of_whole(content)); };
    text("namespace", one.name_space);
    text("id", one.id);
    text("state", is_alive(one) ? "alive" : "dead");
    text("kind", one.kind);
    text("name", one.name);
    text("host", one.host);
    text("pid", one.pid);
    whole("started", one.started);
    whole("renewed", one.renewed);
    whole("age", one.age);
    whole("ttl", one.ttl);
    text("version", one.version);
    text("queues", one.queues);
    return made;
}

} // namespace

bool is_alive(const service& one) {
    return !one.host.empty();
}

awaitable<std::vector<std::string>> list_namespaces(redis::link& server, std::string asked) {
    std::vector<std::string> names{asked};
    if (asked.empty()) {
        names = checked(server, co_await store::namespaces(server));
    }
    co_return names;
}

awaitable<std::vector<service>> list_services(redis::link& server, std::string name_space) {
    std::vector<service> all;
    auto names = co_await list_namespaces(server, std::move(name_space));
    for (const auto& each : names) {
        auto found = checked(server, co_await store::list_services(server, each));
        all.insert(all.end(), found.begin(), found.end());
    }
    co_return all;
}

std::vector<std::string> keys_with(const std::vector<service>& services, std::string_view role, const std::string& id) {
    std::vector<std::string> found;
    for (const auto& each : services) {
        for (const auto& [its_role, key] : each.roles) {
            bool meant = its_role == role && (id.empty() || id == each.id);
            if (meant && std::ranges::find(found, key) == found.end()) {
                found.push_back(key);
            }
        }
    }
    return found;
}

config::value as_value(const std::vector<service>& all) {
    std::vector<config::value> list;
    list.reserve(all.size());
    for (const auto& each : all) {
        list.push_back(as_value(each));
    }
    return config::value::of_list(std::move(list));
}

} // namespace leat::inspect
