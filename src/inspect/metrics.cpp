#include "inspect/metrics.hpp"

#include "inspect/services.hpp"
#include "inspect/trouble.hpp"

#include <algorithm>

namespace leat::inspect {
namespace {

using boost::asio::awaitable;
using store::metric;
using store::metrics;

config::value as_value(const metrics& of) {
    using config::value;
    auto made = value::of_map();
    made.set("namespace", value::of_text(of.name_space));
    made.set("tracked", value::of_whole(of.tracked));
    made.set("waiting", value::of_whole(of.waiting));
    auto all = value::of_map();
    for (const auto& one : of.all) {
        all.set(one.name, inspect::as_value(one));
    }
    made.set("metrics", all);
    std::vector<value> services;
    for (const auto& one : of.services) {
        auto row = value::of_map();
        row.set("metric", value::of_text(one.name));
        row.set("service", value::of_text(one.service));
        row.set("queue", value::of_text(one.queue));
        auto counted = inspect::as_value(one);
        for (const auto& entry : counted.entries()) {
            row.set(entry.key, entry.value);
        }
        services.push_back(std::move(row));
    }
    made.set("services", value::of_list(std::move(services)));
    return made;
}

} // namespace

awaitable<std::vector<metrics>> list_metrics(redis::link& server, std::string name_space) {
    std::vector<metrics> all;
    auto names = co_await list_namespaces(server, std::move(name_space));
    all.reserve(names.size());
    for (const auto& each : names) {
        all.push_back(checked(server, co_await store::list_metrics(server, each)));
    }
    co_return all;
}

config::value as_value(const metric& one) {
    using config::value;
    auto made = value::of_map();
    made.set("count", value::of_whole(one.count));
    made.set("unit", value::of_text(one.unit));
    if (one.sum) {
        made.set("sum", value::of_whole(*one.sum));
    }
    if (one.max) {
        made.set("max", value::of_whole(*one.max));
    }
    if (one.sum && one.count > 0) {
        made.set("average", value::of_number(static_cast<double>(*one.sum) / static_cast<double>(one.count)));
    }
    auto histogram = value::of_map();
    if (std::ranges::any_of(one.tenths, [](auto each) { return each > 0; })) {
        for (std::size_t tenth = 0; tenth < one.tenths.size(); ++tenth) {
            histogram.set("histo" + std::to_string(10 * tenth), value::of_whole(one.tenths[tenth]));
        }
    }
    if (std::ranges::any_of(one.bounds, [](auto each) { return each > 0; })) {
        for (std::size_t i = 0; i < one.bounds.size(); ++i) {
            histogram.set(store::bound_field(i), value::of_whole(one.bounds[i]));
        }
    }
    if (!histogram.entries().empty()) {
        made.set("histogram", histogram);
    }
    if (!one.last.empty()) {
        made.set("last", value::of_text(one.last));
    }
    return made;
}

config::value as_value(const std::vector<metrics>& all) {
    std::vector<config::value> list;
    list.reserve(all.size());
    for (const auto& each : all) {
        list.push_back(as_value(each));
    }
    return config::value::of_list(std::move(list));
}

} // namespace leat::inspect
