#include "inspect/metrics.hpp"

#include "inspect/services.hpp"
#include "inspect/trouble.hpp"

namespace leat::inspect {
namespace {

using boost::asio::awaitable;
using store::metric;
using store::metrics;

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

} // namespace

awaitable<std::vector<metrics>> list_metrics(redis::link& server, std::string name_space) {
    std::vector<metrics> all;
    auto names = co_await list_namespaces(server, std::move(name_space));
    for (const auto& each : names) {
        all.push_back(checked(server, co_await store::list_metrics(server, each)));
    }
    co_return all;
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
