#include "inspect/overview.hpp"

#include "base/log.hpp"
#include "base/task_group.hpp"
#include "inspect/metrics.hpp"
#include "inspect/trouble.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace leat::inspect {

using boost::asio::awaitable;

namespace {

awaitable<void> ask_services(redis::link& server, std::string name_space, redis::result<std::vector<service>>& to) {
    to = co_await store::list_services(server, name_space);
}

awaitable<void> ask_metrics(redis::link& server, std::string name_space, redis::result<store::metrics>& to) {
    to = co_await store::list_metrics(server, name_space);
}

} // namespace

awaitable<overview> overview_watch::look(std::string name_space) {
    overview seen;
    try {
        auto names = co_await list_namespaces(server_, std::move(name_space));
        co_await look_at_namespaces(names, seen);
        seen.queues = queues_of(seen.services);
        co_await queues_.look(server_, seen.queues);
        compare(seen);
    } catch (const inspect::trouble& reason) {
        seen.trouble = reason.what();
    }
    co_return seen;
}

// All at once: a slow link costs one way there and back.
awaitable<void> overview_watch::look_at_namespaces(const std::vector<std::string>& names, overview& seen) {
    base::task_group tasks{co_await boost::asio::this_coro::executor, base::create_log("leat")};
    std::vector<redis::result<std::vector<service>>> services(names.size(), std::vector<service>{});
    std::vector<redis::result<store::metrics>> metrics(names.size(), store::metrics{});
    for (std::size_t i = 0; i < names.size(); ++i) {
        tasks.spawn("services", ask_services(server_, names[i], services[i]));
        tasks.spawn("metrics", ask_metrics(server_, names[i], metrics[i]));
    }
    co_await tasks.wait();
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto found = checked(server_, std::move(services[i]));
        seen.services.insert(seen.services.end(), found.begin(), found.end());
        seen.metrics.push_back(checked(server_, std::move(metrics[i])));
    }
}

void overview_watch::compare(overview& seen) {
    auto now = std::chrono::steady_clock::now();
    auto passed = std::max(0.001, std::chrono::duration<double>{now - at_}.count());
    std::map<std::string, std::int64_t> counts;
    for (const auto& space : seen.metrics) {
        for (const auto& each : space.all) {
            auto name = space.name_space + " " + each.name;
            counts[name] = each.count;
            // One that appears now has been counted since the last look, too.
            auto before = before_.contains(name) ? before_[name] : 0;
            if (at_ != std::chrono::steady_clock::time_point{}) {
                seen.rates[name] = static_cast<double>(each.count - before) / passed;
            }
        }
    }
    before_ = std::move(counts);
    at_ = now;
}

config::value as_value(const overview& seen) {
    using config::value;
    auto made = value::of_map();
    if (!seen.trouble.empty()) {
        made.set("trouble", value::of_text(seen.trouble));
        return made;
    }
    std::vector<value> services;
    for (const auto& each : seen.services) {
        auto one = value::of_map();
        one.set("service", value::of_text(each.name_space + ":" + each.id));
        one.set("state", value::of_text(is_alive(each) ? "alive" : "dead"));
        one.set("kind", value::of_text(each.kind));
        one.set("name", value::of_text(each.name));
        one.set("age", value::of_whole(each.age));
        services.push_back(std::move(one));
    }
    made.set("services", value::of_list(std::move(services)));
    made.set("queues", as_value(seen.queues));
    auto spaces = value::of_map();
    for (const auto& space : seen.metrics) {
        auto one = value::of_map();
        one.set("tracked", value::of_whole(space.tracked));
        one.set("waiting", value::of_whole(space.waiting));
        for (const auto& each : space.all) {
            auto rate = seen.rates.find(space.name_space + " " + each.name);
            auto counted = as_value(each);
            counted.set("rate", rate == seen.rates.end() ? value::null() : value::of_number(rate->second));
            one.set(each.name, counted);
        }
        spaces.set(space.name_space, one);
    }
    made.set("namespaces", spaces);
    return made;
}

} // namespace leat::inspect
