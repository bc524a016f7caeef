#include "store/metrics.hpp"

#include "store/keys.hpp"
#include "store/scripts.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <unordered_map>

namespace leat::store {
namespace {

constexpr std::int64_t most_rows = 5000;

std::size_t order_of(std::string_view name) {
    auto found = std::ranges::find_if(metric_names, [name](const metric_name& each) {
        return each.name.ends_with('*') ? name.starts_with(each.name.substr(0, each.name.size() - 1))
                                        : each.name == name;
    });
    return static_cast<std::size_t>(found - metric_names.begin());
}

metric read(listed_metric row) {
    std::unordered_map<std::string_view, std::string_view> fields;
    for (std::size_t i = 0; i + 1 < row.fields.size(); i += 2) {
        fields.emplace(row.fields[i], row.fields[i + 1]);
    }
    auto whole = [&fields](const std::string& field) -> std::optional<std::int64_t> {
        auto found = fields.find(field);
        return found == fields.end() ? std::nullopt
                                     : std::optional<std::int64_t>{std::atoll(std::string{found->second}.c_str())};
    };
    metric made{.name = std::move(row.name), .service = std::move(row.service), .queue = std::move(row.queue)};
    made.count = whole("count").value_or(0);
    made.max = whole("max");
    made.last = fields["last"];
    made.unit = fields["unit"];
    made.sum = whole("sum");
    bool is_times = made.sum || !made.unit.empty();
    if (is_times) { // a sum that is not there: each was shorter than one of the unit
        made.sum = made.sum.value_or(0);
    }
    if (made.unit.empty()) {
        made.unit = is_times ? "s" : "count";
    }
    for (std::size_t i = 0; i < made.tenths.size(); ++i) {
        made.tenths[i] = whole("histo" + std::to_string(10 * i)).value_or(0);
    }
    for (std::size_t i = 0; i < made.bounds.size(); ++i) {
        made.bounds[i] = whole(bound_field(i)).value_or(0);
    }
    return made;
}

} // namespace

std::string_view meaning_of(std::string_view name) {
    auto found = order_of(name);
    return found < metric_names.size() ? metric_names[found].meaning : "";
}

std::string bound_field(std::size_t number) {
    return number < metric_bounds.size() ? "ms" + std::to_string(metric_bounds[number]) : "msMore";
}

boost::asio::awaitable<redis::result<metrics>> list_metrics(redis::link& server, std::string name_space) {
    list_metrics_call call{.keys = message_keys{name_space}, .most = most_rows};
    for (const auto& each : metric_names) {
        if (!each.name.ends_with('*')) { // those of processes, too: older versions have kept no index
            call.names.emplace_back(each.name);
        }
    }
    auto answer = co_await list_metrics(server, std::move(call));
    if (!answer) {
        co_return answer.error();
    }
    metrics found{
        .name_space = name_space, .tracked = answer->live, .waiting = answer->waiting, .all = {}, .services = {}};
    for (auto& each : answer->rows) {
        auto& to = each.service.empty() ? found.all : found.services;
        to.push_back(read(std::move(each)));
    }
    auto order = [](const metric& one) { return std::tuple{order_of(one.name), one.name, one.service, one.queue}; };
    std::ranges::sort(found.all, {}, order);
    std::ranges::sort(found.services, {}, order);
    co_return found;
}

boost::asio::awaitable<redis::result<std::int64_t>> forget_writer(
    redis::link& server, message_keys keys, std::string writer) {
    redis::command words{"UNLINK", keys.metrics_writer(writer)};
    auto answer = co_await server.call(std::move(words));
    if (!answer) {
        co_return answer.error();
    }
    co_return answer->whole();
}

} // namespace leat::store
