#include "store/metrics.hpp"

#include "store/keys.hpp"
#include "store/run_verb.hpp"
#include "store/scripts.hpp"

#include <cstdlib>

namespace leat::store {
namespace {

constexpr std::size_t width = 16;

std::optional<std::int64_t> whole(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::int64_t>{std::atoll(text.c_str())};
}

metric read(const std::string* row) {
    metric made{
        .name = row[0], .count = whole(row[1]).value_or(0), .sum = whole(row[2]), .max = whole(row[3]), .last = row[4]};
    for (std::size_t i = 0; i < made.tenths.size(); ++i) {
        made.tenths[i] = whole(row[5 + i]).value_or(0);
    }
    return made;
}

} // namespace

boost::asio::awaitable<redis::result<metrics>> list_metrics(redis::link& server, std::string name_space) {
    message_keys keys{name_space};
    list_metrics_call call{.tracked = keys.tracked(), .retries = keys.retries(), .prefix = keys.metrics()};
    for (const auto& each : metric_names) {
        call.names.emplace_back(each.name);
    }
    auto answer = co_await run_verb<list_metrics_outcome>(server, std::move(call));
    if (!answer) {
        co_return answer.error();
    }
    metrics found{.name_space = name_space, .tracked = answer->live, .waiting = answer->waiting, .all = {}};
    for (std::size_t at = 0; at + width <= answer->rows.size(); at += width) {
        found.all.push_back(read(&answer->rows[at]));
    }
    co_return found;
}

} // namespace leat::store
