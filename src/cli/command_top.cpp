// top: services, queues and rates, live.
#include "base/shown.hpp"
#include "base/unicode.hpp"
#include "cli/ending.hpp"
#include "cli/live_screen.hpp"
#include "cli/program.hpp"
#include "cli/queue_table.hpp"
#include "cli/visit.hpp"
#include "config/write.hpp"
#include "inspect/overview.hpp"

#include <boost/asio/this_coro.hpp>

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <iostream>

namespace leat::cli {
namespace {

using base::grouped;
using base::short_time;
using base::shown_name;
using boost::asio::awaitable;
using inspect::overview;

struct top_words {
    std::string name_space;
    std::string redis;
    double interval = 2;
    std::int64_t count = 0; // 0: until somebody ends it
    bool plain = false;
    bool json = false;
};

// The metrics that tell how it goes; the others are in `leat metrics`.
constexpr std::array watched{"done", "settled", "timeout", "retry", "dead", "recovered", "message:expired", "error"};

std::string time_of_day() {
    std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

std::string rate_of(const overview& seen, const std::string& name) {
    auto found = seen.rates.find(name);
    return found == seen.rates.end() ? "?" : fmt::format("{:+.0f}", found->second);
}

table services_table(const overview& seen) {
    table made{{{"SERVICE"}, {"STATE"}, {"KIND"}, {"NAME"}, {"HOST"}, {"PID", true}, {"AGE", true}, {"QUEUES"}}};
    for (const auto& each : seen.services) {
        bool dead = !inspect::is_alive(each);
        made.add(
            {shown_name(each.name_space + ":" + each.id), dead ? "dead" : "alive", shown_name(each.kind),
             shown_name(each.name), shown_name(each.host), shown_name(each.pid), dead ? "-" : short_time(each.age),
             shown_name(each.queues)});
    }
    return made;
}

// A line for each namespace, of what there is to tell.
table namespaces_table(const overview& seen) {
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

std::vector<std::string> lines_of(const overview& seen, const std::string& server, double interval, bool terminal) {
    auto alive = std::ranges::count_if(seen.services, [](const auto& each) { return inspect::is_alive(each); });
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

awaitable<void> watch(redis::link& server, const top_words& words) {
    auto executor = co_await boost::asio::this_coro::executor;
    bool terminal = !words.plain && !words.json && ::isatty(STDOUT_FILENO) == 1;
    ending end{executor, server};
    std::optional<live_screen> screen;
    if (terminal) {
        screen.emplace();
        end.watch_keyboard();
    }
    inspect::overview_watch eyes{server};
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
            std::cout << config::to_json(inspect::as_value(seen), 0)
                      << std::endl; // NOLINT(performance-avoid-endl): live
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
