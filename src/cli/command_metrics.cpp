// metrics: what the services of a namespace have counted.
#include "base/shown.hpp"
#include "cli/spots.hpp"
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

struct metrics_words : spot_words {
    bool json = false;
};

awaitable<void> collect(redis::link& server, std::string name_space, std::vector<metrics>& all) {
    auto found = co_await inspect::list_metrics(server, name_space);
    all.insert(all.end(), found.begin(), found.end());
}

std::string average(const metric& one) {
    return one.sum && one.count > 0
               ? fmt::format("{:.1f} s", static_cast<double>(*one.sum) / static_cast<double>(one.count))
               : "";
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

void print_histogram(const metric& one) {
    std::cout << "\n" << shown_name(one.name) << ", by tenths of the timeout\n";
    auto longest = *std::ranges::max_element(one.tenths);
    for (std::size_t tenth = 0; tenth < one.tenths.size(); ++tenth) {
        auto range = tenth == 10 ? std::string{"100 % +"} : fmt::format("{}-{} %", 10 * tenth, 10 * (tenth + 1));
        auto drawn = bar(one.tenths[tenth], longest);
        std::cout << fmt::format(
            "{:>10}  {}{}{}\n", range, drawn, drawn.empty() ? "" : " ", grouped(one.tenths[tenth]));
    }
}

std::string_view meaning_of(const metric& one) {
    const auto* known = std::ranges::find(store::metric_names, one.name, &store::metric_name::name);
    return known == store::metric_names.end() ? "" : known->meaning;
}

void print(const metrics& of) {
    std::cout << fmt::format(
        "{}  tracked now {}, of these to be delivered again {}\n\n", shown_name(of.name_space), grouped(of.tracked),
        grouped(of.waiting));
    constexpr auto row = "{:<16} {:>14} {:>9} {:>8}  {}\n";
    std::cout << fmt::format("{:<16} {:>14} {:>9} {:>8}\n", "METRIC", "COUNT", "AVERAGE", "MAX");
    for (const auto& one : of.all) {
        auto max = one.max ? grouped(*one.max) + (one.sum ? " s" : "") : "";
        std::cout << fmt::format(row, shown_name(one.name), grouped(one.count), average(one), max, meaning_of(one));
    }
    for (const auto& one : of.all) {
        bool all_beyond = one.tenths.back() == one.count; // as timeouts are: there is nothing to see
        if (one.sum && one.count > 0 && !all_beyond) {
            print_histogram(one);
        }
    }
}

void show(program& shared, const metrics_words& words) {
    std::vector<metrics> all;
    for (const auto& [url, name_space] : spots_of(shared, words)) {
        visit(url, [&](redis::link& server) { return collect(server, name_space, all); });
    }
    if (words.json) {
        std::cout << config::to_json(inspect::as_value(all)) << "\n";
        return;
    }
    bool first = true;
    for (const auto& each : all) {
        std::cout << (first ? "" : "\n");
        first = false;
        print(each);
    }
    if (all.empty() && shared.exit == runtime::exit_code::asked) {
        std::cout << "no service was ever registered here\n";
    }
}

} // namespace

void add_metrics(CLI::App& app, program& shared) {
    auto words = std::make_shared<metrics_words>();
    auto* command = app.add_subcommand("metrics", "Show what services have counted: messages done, timed out, retried");
    add_spot_options(*command, *words);
    command->add_flag("--json", words->json, "As JSON");
    command->callback([&shared, words] { show(shared, *words); });
}

} // namespace leat::cli
