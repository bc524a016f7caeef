// ps and stop: the services that are registered.
#include "base/shown.hpp"
#include "cli/input.hpp"
#include "cli/table.hpp"
#include "cli/targets.hpp"
#include "cli/visit.hpp"
#include "config/write.hpp"
#include "inspect/services.hpp"
#include "inspect/trouble.hpp"

#include <unistd.h>

#include <iostream>
#include <set>

namespace leat::cli {
namespace {

using base::shown_name;
using boost::asio::awaitable;
using inspect::service;

struct ps_words : target_words {
    bool json = false;
};

awaitable<void> list_services(redis::link& server, std::string name_space, std::vector<service>& all) {
    auto found = co_await inspect::list_services(server, name_space);
    all.insert(all.end(), found.begin(), found.end());
}

std::vector<service> list_all(const std::set<target>& targets) {
    std::vector<service> all;
    for (const auto& [url, name_space] : targets) {
        visit(url, [&](redis::link& server) { return list_services(server, name_space, all); });
    }
    return all;
}

std::string state_of(const service& one) {
    return inspect::is_alive(one) ? "alive" : "dead";
}

std::string clock_time(std::int64_t seconds) {
    std::time_t when = seconds;
    std::tm utc{};
    ::gmtime_r(&when, &utc);
    std::array<char, 32> shown{};
    return std::strftime(shown.data(), shown.size(), "%Y-%m-%dT%H:%M:%SZ", &utc) > 0 && seconds > 0 ? shown.data()
                                                                                                    : "-";
}

void print_table(const std::vector<service>& all) {
    table shown{
        {{"SERVICE"},
         {"STATE"},
         {"KIND"},
         {"NAME"},
         {"HOST"},
         {"PID", true},
         {"STARTED"},
         {"RENEWED"},
         {"AGE", true},
         {"QUEUES"}}};
    for (const auto& one : all) {
        bool dead = !inspect::is_alive(one);
        shown.add(
            {shown_name(one.name_space + ":" + one.id), state_of(one), shown_name(one.kind), shown_name(one.name),
             shown_name(one.host), shown_name(one.pid), clock_time(one.started), clock_time(one.renewed),
             dead ? "-" : std::to_string(one.age) + "s", shown_name(one.queues)});
    }
    std::cout << shown.text();
}

void ps(program& shared, const ps_words& words) {
    auto all = list_all(targets_of(shared, words));
    if (words.json) {
        std::cout << config::to_json(inspect::as_value(all)) << "\n";
    } else if (all.empty()) {
        std::cout << "no service is registered\n";
    } else {
        print_table(all);
    }
}

struct stop_words {
    std::vector<std::string> services;
    std::string name_space;
    std::string redis;
    bool all = false;
    bool yes = false;
    bool json = false;
};

// What became of each, for people or as JSON.
class stop_report {
public:
    explicit stop_report(bool json)
        : json_{json} {}

    void add(const std::string& service, const std::string& state, const std::string& told) {
        if (!json_) {
            std::cout << shown_name(service) << " " << told << "\n";
            return;
        }
        auto made = config::value::of_map();
        made.set("service", config::value::of_text(service));
        made.set("state", config::value::of_text(state));
        all_.push_back(std::move(made));
    }
    void end() {
        if (json_) {
            std::cout << config::to_json(config::value::of_list(std::move(all_))) << "\n";
        }
    }

private:
    bool json_;
    std::vector<config::value> all_;
};

// The namespace may hold colons itself; the id is what comes after the last.
std::pair<std::string, std::string> split(const std::string& shown) {
    auto colon = shown.rfind(':');
    bool number = colon != std::string::npos && colon + 1 < shown.size() &&
                  shown.find_first_not_of("0123456789", colon + 1) == std::string::npos;
    if (!number || colon == 0) {
        throw CLI::ValidationError{"SERVICE", "expected NAMESPACE:ID as leat ps shows it, found `" + shown + "`"};
    }
    return {shown.substr(0, colon), shown.substr(colon + 1)};
}

awaitable<std::optional<service>> find_listed(redis::link& server, std::string name_space, std::string id) {
    auto all = co_await inspect::list_services(server, name_space);
    auto found = std::ranges::find(all, id, &service::id);
    co_return found == all.end() ? std::nullopt : std::optional{*found};
}

// Asks, then waits until the service has delisted itself.
awaitable<void> stop_one(
    redis::link& server, std::string name_space, std::string id, stop_report& told, program& shared) {
    auto name = name_space + ":" + id;
    auto before = co_await find_listed(server, name_space, id);
    if (!inspect::checked(server, co_await store::ask_to_stop(server, name_space, id))) {
        told.add(name, "unknown", "is not registered");
        shared.exit = runtime::exit_code::failed;
        co_return;
    }
    if (!before || before->kind.empty()) {
        told.add(name, "asked", "was asked to stop; only services of leat tell when they have");
        co_return;
    }
    for (int tries = 0; tries < 50; ++tries) {
        auto found = co_await find_listed(server, name_space, id);
        if (!found) {
            told.add(name, "stopped", "has stopped");
            co_return;
        }
        co_await server.changed().wait_for(std::chrono::milliseconds{100});
    }
    told.add(name, "busy", "was asked to stop and is still busy, or dead");
    shared.exit = runtime::exit_code::failed;
}

// A person at a terminal is asked before all of them are.
awaitable<bool> is_meant(const std::vector<std::pair<std::string, std::string>>& targets, const stop_words& words) {
    if (!words.all || words.yes || words.json || targets.empty() || ::isatty(STDIN_FILENO) != 1) {
        co_return true;
    }
    for (const auto& [name_space, id] : targets) {
        std::cerr << shown_name(name_space + ":" + id) << "\n";
    }
    auto question = "Stop " + std::to_string(targets.size()) + (targets.size() == 1 ? " service?" : " services?");
    co_return co_await is_confirmed(std::move(question));
}

awaitable<void> stop_them(redis::link& server, const stop_words& words, program& shared) {
    std::vector<std::pair<std::string, std::string>> targets;
    if (words.all) {
        std::vector<service> all;
        co_await list_services(server, words.name_space, all);
        for (const auto& one : all) {
            if (inspect::is_alive(one)) {
                targets.emplace_back(one.name_space, one.id);
            }
        }
        if (targets.empty() && !words.json) {
            std::cout << "no service is registered\n";
        }
    }
    for (const auto& each : words.services) {
        targets.push_back(split(each));
    }
    bool meant = co_await is_meant(targets, words);
    if (!meant) {
        std::cout << "nothing was stopped\n";
        shared.exit = runtime::exit_code::failed;
        co_return;
    }
    stop_report told{words.json};
    for (const auto& [name_space, id] : targets) {
        co_await stop_one(server, name_space, id, told, shared);
    }
    told.end();
}

} // namespace

void add_ps(CLI::App& app, program& shared) {
    auto words = std::make_shared<ps_words>();
    auto* command = app.add_subcommand("ps", "List the registered services");
    add_target_options(*command, *words);
    command->add_flag("--json", words->json, "As JSON");
    command->callback([&shared, words] { ps(shared, *words); });
}

void add_stop(CLI::App& app, program& shared) {
    auto words = std::make_shared<stop_words>();
    auto* command = app.add_subcommand("stop", "Stop services, wherever they run, by deleting their keys");
    command->add_option("SERVICE", words->services, "NAMESPACE:ID, as leat ps shows it");
    command->add_flag("--all", words->all, "All of them, or all of --namespace; asks at a terminal");
    command->add_flag("--yes", words->yes, "With --all: do not ask");
    command->add_flag("--json", words->json, "As JSON; does not ask");
    command->add_option("--namespace", words->name_space, "With --all: only this serviceNamespace");
    command->add_option("--redis", words->redis, "Server of the service keys; also REDIS_URL")->type_name("URL");
    command->callback([&shared, words] {
        if (words->services.empty() == !words->all) {
            throw CLI::ValidationError{"SERVICE", "say which: NAMESPACE:ID ..., or --all"};
        }
        for (const auto& each : words->services) {
            split(each);
        }
        visit(server_for(words->redis), [&](redis::link& server) { return stop_them(server, *words, shared); });
    });
}

} // namespace leat::cli
