// metrics: what the services of a namespace have counted.
#include "base/shown.hpp"
#include "cli/table.hpp"
#include "cli/targets.hpp"
#include "cli/visit.hpp"
#include "config/write.hpp"
#include "inspect/metrics.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace leat::cli {
namespace {

using base::grouped;
using base::shown_name;
using boost::asio::awaitable;
using store::metric;
using store::metrics;

struct metrics_words : target_words {
    bool json = false;
    bool by_queue = false;
};

awaitable<void> read_metrics(redis::link& server, std::string name_space, std::vector<metrics>& all) {
    auto found = co_await inspect::list_metrics(server, name_space);
    all.insert(all.end(), found.begin(), found.end());
}

std::string average(const metric& one) {
    return one.sum && one.count > 0
               ? fmt::format("{:.1f} {}", static_cast<double>(*one.sum) / static_cast<double>(one.count), one.unit)
               : "";
}

std::string longest(const metric& one) {
    return one.max ? grouped(*one.max) + (one.sum ? " " + one.unit : "") : "";
}

// A bar of eighths of a character.
std::string bar(std::int64_t value, std::int64_t longest) {
    constexpr double columns = 40;
    static constexpr std::array<std::string_view, 8> part{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    auto eighths = static_cast<std::size_t>(
        std::ceil(8 * columns * static_cast<double>(value) / static_cast<double>(std::max<std::int64_t>(1, longest))));
    std::string made;
    for (std::size_t i = 0; i < eighths / 8; ++i) {
        made += "█";
    }
    return made + std::string{part[eighths % 8]};
}

void print_bars(const std::vector<std::pair<std::string, std::int64_t>>& rows) {
    auto most = std::ranges::max_element(rows, {}, [](const auto& each) { return each.second; })->second;
    for (const auto& [range, number] : rows) {
        auto drawn = bar(number, most);
        std::cout << fmt::format("{:>16}  {}{}{}\n", range, drawn, drawn.empty() ? "" : " ", grouped(number));
    }
}

void print_tenths(const metric& one) {
    std::cout << "\n" << shown_name(one.name) << ", by tenths of the timeout\n";
    std::vector<std::pair<std::string, std::int64_t>> rows;
    for (std::size_t i = 0; i < one.tenths.size(); ++i) {
        auto range = i == 10 ? std::string{"100 % +"} : fmt::format("{}-{} %", 10 * i, 10 * (i + 1));
        rows.emplace_back(std::move(range), one.tenths[i]);
    }
    print_bars(rows);
}

// From the first that holds any to the last.
void print_milliseconds(const metric& one) {
    auto holds = [](std::int64_t number) { return number > 0; };
    auto first = std::ranges::find_if(one.bounds, holds) - one.bounds.begin();
    auto last = std::find_if(one.bounds.rbegin(), one.bounds.rend(), holds).base() - one.bounds.begin();
    std::cout << "\n" << shown_name(one.name) << ", by milliseconds\n";
    std::vector<std::pair<std::string, std::int64_t>> rows;
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        auto above = i == 0 ? 0 : store::metric_bounds[i - 1];
        auto range = i == store::metric_bounds.size() ? fmt::format("more than {}", above)
                                                      : fmt::format("{}-{} ms", above, store::metric_bounds[i]);
        rows.emplace_back(std::move(range), one.bounds[i]);
    }
    print_bars(rows);
}

void print_histograms(const metric& one) {
    bool has_times = std::ranges::any_of(one.bounds, [](auto number) { return number > 0; });
    if (has_times) {
        print_milliseconds(one);
    } else if (one.sum && one.count > 0 && one.tenths.back() != one.count) { // of timeouts there is nothing to see
        print_tenths(one);
    }
}

void print_totals(const metrics& of) {
    std::size_t width = 16;
    for (const auto& one : of.all) {
        width = std::max(width, shown_name(one.name).size());
    }
    std::cout << fmt::format("{:<{}} {:>14} {:>9} {:>8}\n", "METRIC", width, "COUNT", "AVERAGE", "MAX");
    for (const auto& one : of.all) {
        std::cout << fmt::format(
            "{:<{}} {:>14} {:>9} {:>8}  {}\n", shown_name(one.name), width, grouped(one.count), average(one),
            longest(one), store::meaning_of(one.name));
    }
}

void print_by_queue(const metrics& of) {
    table rows{{{"METRIC"}, {"SERVICE"}, {"QUEUE"}, {"COUNT", true}, {"AVERAGE", true}, {"MAX", true}}};
    for (const auto& one : of.services) {
        rows.add(
            {shown_name(one.name), shown_name(one.service), one.queue.empty() ? "-" : shown_name(one.queue),
             grouped(one.count), average(one), longest(one)});
    }
    std::cout << "\n" << rows.text();
}

void print(const metrics& of, bool by_queue) {
    std::cout << fmt::format(
        "{}  tracked now {}, of these to be delivered again {}\n\n", shown_name(of.name_space), grouped(of.tracked),
        grouped(of.waiting));
    print_totals(of);
    if (by_queue && !of.services.empty()) {
        print_by_queue(of);
    }
    for (const auto& one : of.all) {
        print_histograms(one);
    }
}

void show(program& shared, const metrics_words& words) {
    std::vector<metrics> all;
    for (const auto& [url, name_space] : targets_of(shared, words)) {
        visit(url, [&](redis::link& server) { return read_metrics(server, name_space, all); });
    }
    if (words.json) {
        std::cout << config::to_json(inspect::as_value(all)) << "\n";
        return;
    }
    bool first = true;
    for (const auto& each : all) {
        std::cout << (first ? "" : "\n");
        first = false;
        print(each, words.by_queue);
    }
    if (all.empty() && shared.exit == runtime::exit_code::asked) {
        std::cout << "no service was ever registered here\n";
    }
}

} // namespace

void add_metrics(CLI::App& app, program& shared) {
    auto words = std::make_shared<metrics_words>();
    auto* command = app.add_subcommand("metrics", "Show what services have counted: messages done, timed out, retried");
    add_target_options(*command, *words);
    command->add_flag("--by-queue", words->by_queue, "Also what each service has counted for each queue");
    command->add_flag("--json", words->json, "As JSON, with all of it");
    command->callback([&shared, words] { show(shared, *words); });
}

} // namespace leat::cli
