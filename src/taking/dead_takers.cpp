#include "taking/dead_takers.hpp"

#include "base/process_identity.hpp"
#include "store/keys.hpp"
#include "store/taking.hpp"

#include <algorithm>

namespace leat::taking {

using boost::asio::awaitable;
using namespace std::chrono_literals;

namespace {
constexpr auto grace = 5s; // after a reconnect: the others may need as long as we did to come back
// Each call holds Redis for a few milliseconds at most.
constexpr std::int64_t page = 250; // consumers to list
constexpr std::int64_t most_listed = 10'000;
constexpr std::int64_t most_owners = 300; // hands to empty, most of them empty already
constexpr std::int64_t most_returned = 200;
constexpr std::size_t portion = 100; // of those who are gone
} // namespace

dead_takers::dead_takers(redis::link& server, const work& what, base::log_ptr log)
    : server_{server}
    , work_{what}
    , log_{std::move(log)} {
}

void dead_takers::begin() {
    at_ = clock::now();
    more_ = false;
    looked_at_ = 0;
    gone_.clear();
}

dead_takers::clock::time_point dead_takers::due() const {
    auto calm = server_.connects() > 1 ? server_.connected_since() + grace : clock::time_point{};
    return std::max({at_, calm, done_at_ + 1s});
}

void dead_takers::due_in(std::chrono::milliseconds lease) {
    if (!more_) {
        at_ = clock::now() + lease;
    }
}

// At the start those of this machine whose process is gone are known to be dead, whatever their leases say. One page.
awaitable<void> dead_takers::look_for_gone() {
    auto listed = co_await store::list_takers(server_, work_.pending, looked_at_, page);
    if (!listed) {
        looked_at_ = -1; // then when their leases have ended
        co_return;
    }
    for (const auto& each : listed->rows) {
        if (base::is_gone(each.process)) {
            gone_.push_back(each.id);
            gone_.push_back(each.process);
        }
    }
    looked_at_ += page;
    if (looked_at_ >= std::min(listed->all, most_listed)) {
        looked_at_ = -1;
    }
}

awaitable<redis::result<dead_takers::found>> dead_takers::recover(
    std::int64_t own, std::string service, std::string metrics) {
    auto answer = co_await recover_some(own, std::move(service), std::move(metrics));
    if (!answer) {
        at_ = clock::now() + 1s;
        co_return answer;
    }
    if (!more_ && looked_at_ >= 0) {
        co_await look_for_gone();
    }
    more_ = more_ || looked_at_ >= 0 || !gone_.empty();
    done_at_ = more_ ? clock::time_point{} : clock::now();
    at_ = more_ ? clock::now() : clock::now() + std::chrono::milliseconds{work_.lease} / 3;
    co_return answer;
}

awaitable<redis::result<dead_takers::found>> dead_takers::recover_some(
    std::int64_t own, std::string service, std::string metrics) {
    // To forget some would move the pages that are still to be listed.
    auto told = static_cast<std::ptrdiff_t>(looked_at_ >= 0 ? 0 : std::min(gone_.size(), 2 * portion));
    std::vector<std::string> gone{gone_.begin(), gone_.begin() + told};
    store::taking_keys keys{work_.pending};
    store::scripts::recover_call given{
        .owners = keys.owners(),
        .source = work_.in,
        .suspects = keys.suspects(),
        .deliveries = keys.deliveries(),
        .dead = work_.dead,
        .pending = work_.pending,
        .own = std::to_string(own),
        .max_owners = most_owners,
        .max_count = most_returned,
        .max_deliveries = work_.max_deliveries,
        .grace = std::min(work_.lease, std::chrono::seconds{grace}).count(),
        .service = std::move(service),
        .metrics = std::move(metrics),
        .gone = std::move(gone)};
    auto answer = co_await store::recover(server_, std::move(given));
    if (!answer) {
        co_return answer.error();
    }
    if (answer->recovered + answer->buried > 0) {
        log_->warn(
            "recovered what dead takers had in hand in={} takers={} messages={} dead={}", work_.in, answer->ended,
            answer->recovered, answer->buried);
    }
    for (const auto& each : answer->trouble) {
        log_->error("what a dead taker had in hand cannot be recovered reason=\"{}\"", each);
    }
    more_ = answer->more == 1;
    if (!more_) {
        gone_.erase(gone_.begin(), gone_.begin() + told);
    }
    co_return found{.recovered = answer->recovered, .buried = answer->buried};
}

} // namespace leat::taking
