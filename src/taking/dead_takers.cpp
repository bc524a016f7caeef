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
} // namespace

dead_takers::dead_takers(redis::link& server, const work& what, base::log_ptr log)
    : server_{server}
    , work_{what}
    , log_{std::move(log)} {
}

void dead_takers::begin() {
    at_ = clock::now();
    look_for_gone_ = true;
}

dead_takers::clock::time_point dead_takers::due() const {
    auto calm = server_.connects() > 1 ? server_.connected_since() + grace : clock::time_point{};
    return std::max({at_, calm, done_at_ + 1s});
}

void dead_takers::due_in(std::chrono::milliseconds lease) {
    at_ = clock::now() + lease;
}

// At the start those of this machine whose process is gone are known to be dead, whatever their leases say.
awaitable<std::vector<std::string>> dead_takers::find_gone() {
    std::vector<std::string> gone;
    constexpr std::int64_t page = 100; // a few milliseconds of Redis at most
    for (std::int64_t first = 0; first < 100 * page; first += page) {
        auto listed = co_await store::list_takers(server_, work_.pending, first, page);
        if (!listed) {
            break;
        }
        for (const auto& each : listed->rows) {
            if (base::is_gone(each.process)) {
                gone.push_back(each.id);
            }
        }
        if (listed->rows.size() < page) {
            break;
        }
    }
    if (gone.size() > 1000) {
        gone.resize(1000); // the rest when their leases have ended
    }
    co_return gone;
}

awaitable<redis::result<dead_takers::found>> dead_takers::recover(
    std::int64_t own, std::string service, std::string metrics) {
    std::vector<std::string> gone;
    if (look_for_gone_) {
        gone = co_await find_gone();
    }
    store::taking_keys keys{work_.pending};
    store::scripts::recover_call given{
        .owners = keys.owners(),
        .source = work_.in,
        .suspects = keys.suspects(),
        .deliveries = keys.deliveries(),
        .dead = work_.dead,
        .pending = work_.pending,
        .own = std::to_string(own),
        .max_owners = 30, // some milliseconds of Redis
        .max_count = 200,
        .max_deliveries = work_.max_deliveries,
        .grace = std::min(work_.lease, std::chrono::seconds{grace}).count(),
        .service = std::move(service),
        .metrics = std::move(metrics),
        .gone = std::move(gone)};
    auto answer = co_await store::recover(server_, std::move(given));
    if (!answer) {
        at_ = clock::now() + 1s;
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
    bool more = answer->more == 1;
    look_for_gone_ = look_for_gone_ && more;
    done_at_ = more ? clock::time_point{} : clock::now();
    at_ = more ? clock::now() : clock::now() + std::chrono::milliseconds{work_.lease} / 3;
    co_return found{.recovered = answer->recovered, .buried = answer->buried};
}

} // namespace leat::taking
