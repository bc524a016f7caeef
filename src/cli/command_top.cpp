// top: services, queues and rates, live.
#include "base/task_group.hpp"
#include "base/unicode.hpp"
#include "cli/ending.hpp"
#include "cli/live_screen.hpp"
#include "cli/numbers.hpp"
#include "cli/queue_table.hpp"
#include "cli/queue_view.hpp"
#include "cli/spots.hpp"
#include "cli/visit.hpp"
#include "config/write.hpp"
#include "store/metrics.hpp"

#include <boost/asio/this_coro.hpp>

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <map>

namespace leat::cli {
namespace {

using boost::asio::awaitable;
using clock = std::chrono::steady_clock;

struct top_words {
    std::string name_space;
    std::string redis;
    double interval = 2;
    std::int64_t count = 0; // 0: until somebody ends it
    bool plain = false;
    bool json = false;
};

// What is seen at one moment.
struct picture {
    std::vector<store::listed_service> services;
    std::vector<queue_state> queues;
    std::vector<store::metrics> metrics;
    std::map<std::string, double> rates; // of metrics, by namespace and name, since the last picture
    std::string trouble;
};

// The metrics that tell how it goes; the others are in `leat metrics`.
constexpr std::array watched{"done", "settled", "timeout", "retry", "dead", "recovered", "message:expired", "error"};

class watcher {
public:
    explicit watcher(redis::link& server)
        : server_{server} {}

    awaitable<picture> look(std::string name_space) {
        picture seen;
        try {
            auto names = co_await namespaces_of(server_, name_space);
            co_await look_at_namespaces(names, seen);
            seen.queues = queues_of(seen.services);
            co_await queues_.look(server_, seen.queues);
            compare(seen);
        } catch (const std::runtime_error& reason) {
            seen.trouble = reason.what();
        }
        co_return seen;
    }

private:
    // All at once: a slow link costs one way there and back.
    awaitable<void> look_at_namespaces(const std::vector<std::string>& names, picture& seen) {
        base::task_group tasks{co_await boost::asio::this_coro::executor, base::create_log("leat")};
        std::vector<redis::result<std::vector<store::listed_service>>> services(
            names.size(), std::vector<store::listed_service>{});
        std::vector<redis::result<store::metrics>> metrics(names.size(), store::metrics{});
        for (std::size_t i = 0; i < names.size(); ++i) {
            tasks.spawn("services", list_services(names[i], services[i]));
            tasks.spawn("metrics", list_metrics(names[i], metrics[i]));
        }
        co_await tasks.wait();
        for (std::size_t i = 0; i < names.size(); ++i) {
            auto found = checked(std::move(services[i]));
            seen.services.insert(seen.services.end(), found.begin(), found.end());
            seen.metrics.push_back(checked(std::move(metrics[i])));
        }
    }

    awaitable<void> list_services(std::string name_space, redis::result<std::vector<store::listed_service>>& to) {
        to = co_await store::list_services(server_, name_space);
    }
    awaitable<void> list_metrics(std::string name_space, redis::result<store::metrics>& to) {
        to = co_await store::list_metrics(server_, name_space);
    }

    void compare(picture& seen) {
        auto now = clock::now();
        auto passed = std::max(0.001, std::chrono::duration<double>{now - at_}.count());
        std::map<std::string, std::int64_t> counts;
        for (const auto& space : seen.metrics) {
            for (const auto& each : space.all) {
                auto name = space.name_space + " " + each.name;
                counts[name] = each.count;
                // One that appears now has been counted since the last look, too.
                auto before = before_.contains(name) ? before_[name] : 0;
                if (at_ != clock::time_point{}) {
                    seen.rates[name] = static_cast<double>(each.count - before) / passed;
                }
            }
        }
        before_ = std::move(counts);
        at_ = now;
    }

    redis::link& server_;
    queue_view queues_;
    std::map<std::string, std::int64_t> before_;
    clock::time_point at_;
};

std::string time_of_day() {
    std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

std::string rate_of(const picture& seen, const std::string& name) {
    auto found = seen.rates.find(name);
    return found == seen.rates.end() ? "?" : fmt::format("{:+.0f}", found->second);
}

table services_table(const picture& seen) {
    table made{{{"SERVICE"}, {"STATE"}, {"KIND"}, {"NAME"}, {"HOST"}, {"PID", true}, {"AGE", true}, {"QUEUES"}}};
    for (const auto& each : seen.services) {
        bool dead = each.host.empty();
        made.add(
            {shown_name(each.name_space + ":" + each.id), dead ? "dead" : "alive", shown_name(each.kind),
             shown_name(each.name), shown_name(each.host), shown_name(each.pid), dead ? "-" : short_time(each.age),
             shown_name(each.queues)});
    }
    return made;
}

// A line for each namespace, of what there is to tell.
table namespaces_table(const picture& seen) {
    table made{{{"NAMESPACE"}, {"TRACKED", true}, {"WAITING", true}, {"SO FAR, AND PER SECOND"}}};
    for (const auto& space : seen.metrics) {
        std::string told;
        for (const auto* name : watched) {
            auto found = std::ranges::find(space.all, name, &store::metric::name);
            if (found != space.all.end() && found->count > 0) {
                told += fmt::format(
                    "{}{} {} {}/s", told.empty() ? "" : "   ", name, grouped(found->count),
                    rate_of(seen, space.name_space + " " + name));
            }
        }
        made.add({shown_name(space.name_space), grouped(space.tracked), grouped(space.waiting), told});
    }
    return made;
}

std::vector<std::string> lines_of(const picture& seen, const std::string& server, double interval, bool terminal) {
    auto alive = std::ranges::count_if(seen.services, [](const auto& each) { return !each.host.empty(); });
    std::vector<std::string> lines{fmt::format(
        "leat top  {}  {}  every {:g} s  services {}{}", server, time_of_day(), interval, alive,
        terminal ? "  (q to quit)" : "")};
    if (!seen.trouble.empty()) {
        lines.push_back("");
        lines.push_back("no answer, trying again: " + base::printable(seen.trouble, 1000));
        return lines;
    }
    auto add = [&lines](const table& part) {
        lines.emplace_back();
        auto more = part.lines();
        lines.insert(lines.end(), more.begin(), more.end());
    };
    if (seen.metrics.empty()) {
        lines.emplace_back();
        lines.emplace_back("no service was ever registered here");
        return lines;
    }
    add(namespaces_table(seen));
    add(as_table(seen.queues));
    add(services_table(seen));
    return lines;
}

config::value as_value(const picture& seen) {
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
        one.set("state", value::of_text(each.host.empty() ? "dead" : "alive"));
        one.set("kind", value::of_text(each.kind));
        one.set("name", value::of_text(each.name));
        one.set("age", value::of_whole(each.age));
        services.push_back(std::move(one));
    }
    made.set("services", value::of_list(std::move(services)));
    made.set("queues", cli::as_value(seen.queues));
    auto spaces = value::of_map();
    for (const auto& space : seen.metrics) {
        auto one = value::of_map();
        one.set("tracked", value::of_whole(space.tracked));
        one.set("waiting", value::of_whole(space.waiting));
        for (const auto& each : space.all) {
            auto rate = seen.rates.find(space.name_space + " " + each.name);
            auto counted = value::of_map();
            counted.set("count", value::of_whole(each.count));
            counted.set("rate", rate == seen.rates.end() ? value::null() : value::of_number(rate->second));
            one.set(each.name, counted);
        }
        spaces.set(space.name_space, one);
    }
    made.set("namespaces", spaces);
    return made;
}

awaitable<void> watch(redis::link& server, const top_words& words) {
    auto executor = co_await boost::asio::this_coro::executor;
    bool terminal = !words.plain && !words.json && ::isatty(STDOUT_FILENO) == 1;
    ending end{executor, server};
    std::optional<live_screen> screen;
    if (terminal) {
        screen.emplace();
        end.watch_keyboard();
    }
    watcher eyes{server};
    auto pause = std::chrono::milliseconds{static_cast<int>(1000 * words.interval)};
    for (std::int64_t shown = 0; !end.stop.requested() && (words.count == 0 || shown < words.count); ++shown) {
        if (shown > 0) {
            co_await end.stop.awake().wait_for(pause);
        }
        if (end.stop.requested()) {
            break;
        }
        auto seen = co_await eyes.look(words.name_space);
        if (end.stop.requested()) {
            break;
        }
        if (!std::cout) {
            throw std::runtime_error{"standard output cannot be written"};
        }
        if (words.json) {
            std::cout << config::to_json(as_value(seen), 0) << std::endl; // NOLINT(performance-avoid-endl): live
            continue;
        }
        auto lines = lines_of(seen, server.server().shown, words.interval, terminal);
        if (screen) {
            screen->draw(std::move(lines));
            continue;
        }
        for (const auto& each : lines) {
            std::cout << each << "\n";
        }
        std::cout << std::endl; // NOLINT(performance-avoid-endl): live
    }
    co_await end.over();
}

} // namespace

void add_top(CLI::App& app, program& /*shared*/) {
    const CLI::Validator finite{
        [](std::string& text) {
            return text.find_first_not_of("0123456789.") == std::string::npos ? std::string{} : "expected seconds";
        },
        "", "seconds"};
    auto words = std::make_shared<top_words>();
    auto* command = app.add_subcommand("top", "Services, queues and rates, live");
    command->footer(
        "On a terminal only what has changed is sent. Elsewhere, or with --plain, each picture is printed below the\n"
        "last; with --json it is one line.");
    command->add_option("--namespace", words->name_space, "Only this serviceNamespace");
    command->add_option("--interval,-i", words->interval, "Seconds between two looks")
        ->check(CLI::Range(0.1, 3600.0) & finite)
        ->capture_default_str();
    command->add_option("--count,-n", words->count, "End after so many; 0: go on")->check(CLI::NonNegativeNumber);
    command->add_flag("--plain", words->plain, "Print one picture below the other, also on a terminal");
    command->add_flag("--json", words->json, "A line of JSON for each picture");
    command->add_option("--redis", words->redis, "Server of the services; also REDIS_URL")->type_name("URL");
    command->callback(
        [words] { visit(server_for(words->redis), [&](redis::link& server) { return watch(server, *words); }); });
}

} // namespace leat::cli
