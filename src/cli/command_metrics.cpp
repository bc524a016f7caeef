// metrics: what the services of a namespace have counted.
#include "cli/numbers.hpp"
#include "cli/spots.hpp"
#include "cli/table.hpp"
#include "cli/visit.hpp"
#include "config/write.hpp"
#include "store/metrics.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace leat::cli {
namespace {

using boost::asio::awaitable;
using store::metric;
using store::metrics;

struct metrics_words : spot_words {
    bool json = false;
};

awaitable<void> collect(redis::link& server, std::string name_space, std::vector<metrics>& all) {
    auto names = co_await namespaces_of(server, name_space);
    for (const auto& each : names) {
        all.push_back(checked(co_await store::list_metrics(server, each)));
    }
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

config::value as_value(const metric& one) {
    using config::value;
    auto made = value::of_map();
    made.set("count", value::of_whole(one.count));
    if (one.sum) {
        made.set("sum", value::of_whole(*one.sum));
    }
    if (one.max) {
        made.set("max", value::of_whole(*one.max));
    }
    if (one.sum && one.count > 0) {
        made.set("average", value::of_number(static_cast<double>(*one.sum) / static_cast<double>(one.count)));
        auto histogram = value::of_map();
        for (std::size_t tenth = 0; tenth < one.tenths.size(); ++tenth) {
            histogram.set("histo" + std::to_string(10 * tenth), value::of_whole(one.tenths[tenth]));
        }
        made.set("histogram", histogram);
    }
    if (!one.last.empty()) {
        made.set("last", value::of_text(one.last));
    }
    return made;
}

config::value as_value(const metrics& of) {
    using config::value;
    auto made = value::of_map();
    made.set("namespace", value::of_text(of.name_space));
    made.set("tracked", value::of_whole(of.tracked));
    made.set("waiting", value::of_whole(of.waiting));
    auto all = value::of_map();
    for (const auto& one : of.all) {
        all.set(one.name, as_value(one));
    }
    made.set("metrics", all);
    return made;
}

void show(program& shared, const metrics_words& words) {
    std::vector<metrics> all;
    for (const auto& [url, name_space] : spots_of(shared, words)) {
        visit(url, [&](redis::link& server) { return collect(server, name_space, all); });
    }
    if (words.json) {
        std::vector<config::value> list;
        list.reserve(all.size());
        for (const auto& each : all) {
            list.push_back(as_value(each));
        }
        std::cout << config::to_json(config::value::of_list(std::move(list))) << "\n";
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
