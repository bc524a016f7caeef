#include "taking/dead_consumers.hpp"

#include "base/process_identity.hpp"
#include "store/scripts.hpp"

#include <algorithm>

namespace leat::taking {

using boost::asio::awaitable;
using namespace std::chrono_literals;

namespace {
constexpr std::chrono::seconds grace = 5s; // so long the server must have been up, so that the living could renew
// Each call holds Redis for a few milliseconds at most.
constexpr std::int64_t most_owners = 300; // hands to empty, most of them empty already
constexpr std::int64_t most_returned = 200;
} // namespace

dead_consumers::dead_consumers(redis::server server, const work& what, taking_counts& counts, base::log_ptr log)
    : server_{std::move(server)}
    , work_{what}
    , counts_{counts}
    , log_{std::move(log)}
    , plan_{what.lease} {
}

dead_consumers::clock::time_point dead_consumers::due() const {
    const auto& link = server_.calls();
    auto planned = plan_.due(link.connects() > 1 ? std::optional{link.connected_since()} : std::nullopt);
    return std::min(planned, server_.fault_over_at());
}

// At the start those of this machine whose process is gone are known to be dead, whatever their leases say. One page.
awaitable<void> dead_consumers::look_for_gone(std::int64_t from) {
    store::list_takers_call given{
        .keys = store::taking_keys{work_.pending}, .first = from, .max_count = recovery_plan::page_length};
    auto listed = co_await store::list_takers(server_.calls(), std::move(given));
    if (!listed) {
        plan_.listed(std::nullopt, 0);
        co_return;
    }
    std::vector<store::gone_taker> gone;
    for (auto& each : listed->rows) {
        if (base::is_gone(each.process)) {
            gone.push_back({std::move(each.id), std::move(each.process)});
        }
    }
    plan_.listed(std::move(gone), listed->all);
}

awaitable<redis::result<dead_consumers::found>> dead_consumers::recover(
    std::int64_t own, std::string service, std::string metrics) {
    auto answer = co_await recover_some(own, std::move(service), std::move(metrics));
    if (!answer) {
        plan_.failed(clock::now());
        if (server_.tolerates(answer.error())) {
            counts_.failed();
            co_return found{};
        }
        co_return answer;
    }
    if (auto from = plan_.page()) {
        co_await look_for_gone(*from);
    }
    plan_.ended(clock::now());
    co_return answer;
}

awaitable<redis::result<dead_consumers::found>> dead_consumers::recover_some(
    std::int64_t own, std::string service, std::string metrics) {
    store::recover_call given{
        .keys = store::taking_keys{work_.pending},
        .source = work_.in,
        .dead = work_.dead,
        .own = own,
        .max_owners = most_owners,
        .max_count = most_returned,
        .max_deliveries = work_.max_deliveries,
        .grace = std::min(work_.lease, grace).count(),
        .service = std::move(service),
        .metrics = std::move(metrics),
        .gone = plan_.named()};
    auto answer = co_await store::recover(server_.calls(), std::move(given));
    if (!answer) {
        co_return answer.error();
    }
    if (answer->recovered + answer->buried > 0) {
        log_->warn(
            "recovered what dead consumers had in flight in={} consumers={} messages={} dead={}", work_.in,
            answer->ended, answer->recovered, answer->buried);
    }
    for (const auto& each : answer->trouble) {
        server_.failed({.kind = redis::classify(each), .text = server_.calls().masked(each)});
    }
    if (answer->trouble.empty()) {
        server_.answered();
    }
    plan_.recovered(answer->more);
    co_return found{.recovered = answer->recovered, .buried = answer->buried};
}

} // namespace leat::taking
