#include "taking/failure_lines.hpp"

#include "base/unicode.hpp"
#include "redis/digest.hpp"
#include "runtime/pauses.hpp"

#include <utility>

namespace leat::taking {

using type = verdict::type;

void line_budget::begin_second(clock::time_point now) {
    if (now - began_ >= std::chrono::seconds{1}) {
        began_ = now;
        admitted_ = 0;
    }
}

bool line_budget::admits(clock::time_point now) {
    begin_second(now);
    if (admitted_ < most_) {
        ++admitted_;
        return true;
    }
    ++missed_;
    return false;
}

std::int64_t line_budget::take_missed(clock::time_point now) {
    begin_second(now);
    return admitted_ < most_ ? std::exchange(missed_, 0) : 0;
}

void failure_lines::acknowledged(const hand::choice& chosen, double chance) {
    flush();
    for (auto each : chosen.which) {
        auto how = each->decided->is;
        if ((how == type::again || how == type::dead) && budget_.admits(line_budget::clock::now())) {
            failed(*each, chance);
        }
    }
}

void failure_lines::flush() {
    if (auto missed = budget_.take_missed(line_budget::clock::now()); missed > 0) {
        log_->warn("{} more messages failed that are not logged one by one in={}", missed, work_.in);
    }
}

void failure_lines::failed(const hand::held& one, double chance) {
    constexpr std::size_t most_shown = 300;
    auto digest = redis::sha1_hex(one.message);
    auto reason = base::printable(one.decided->reason, most_shown);
    if (is_given_up(one, work_.max_deliveries)) {
        log_->error(
            "a message was given up in={} dead={} digest={} attempt={} reason=\"{}\"", work_.in, work_.dead, digest,
            one.delivery, reason);
        return;
    }
    auto pause = runtime::pause_after(work_.pauses, one.delivery, chance);
    log_->warn(
        "a message failed and will be retried in={} digest={} attempt={}/{} next={}ms reason=\"{}\"", work_.in, digest,
        one.delivery, work_.max_deliveries, pause.count(), reason);
}

} // namespace leat::taking
