#include "tracking/timekeeper.hpp"

#include <cstdlib>

namespace leat::tracking {

using boost::asio::awaitable;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t batch = 500;         // messages with a call, so that Redis is held for a few milliseconds
constexpr std::int64_t compacted = 3000;    // ids
constexpr auto look_again = 1s;             // for deadlines of others
constexpr auto rest = 500ms;                // without a report
constexpr std::int64_t stale_enough = 1000; // ids that are worth a pass in the middle of work

} // namespace

timekeeper::timekeeper(
    const ledger& book, redis::link& queues, redis::link& service, redis::listener& ears, service_place& where,
    const done_taker& reports, base::log_ptr log, base::stop_signal& stop, std::chrono::seconds tick)
    : book_{book}
    , queues_{queues}
    , service_{service}
    , where_{where}
    , reports_{reports}
    , log_{std::move(log)}
    , stop_{stop}
    , tick_{tick}
    , recovery_{service, ears.connection(), log_, stop}
    , deadlines_{ears, book.keys.deadlines(), stop.awake()} {
}

void timekeeper::tracked() {
    auto due = clock::now() + std::chrono::seconds{book_.settings.message_timeout};
    if (due < wake_at_) {
        wake_at_ = due;
        stop_.awake().notify_all();
    }
}

awaitable<bool> timekeeper::run() {
    while (!stop_.requested()) {
        auto seen = co_await see_to_deadlines();
        redis::result<bool> went = seen ? redis::result<bool>{true} : redis::result<bool>{seen.error()};
        if (seen && seen->next_retry == 0) {
            went = co_await see_to_retries();
        }
        if (went && is_worth_compacting(*seen)) {
            went = co_await compact();
        }
        if (!went) {
            if (!co_await recovery_.after(went.error())) {
                co_return false;
            }
            continue;
        }
        recovery_.over();
        if (seen->due < batch && seen->next_retry != 0) {
            co_await sleep(*seen);
        }
    }
    co_return true;
}

awaitable<redis::result<store::scripts::time_out_outcome>> timekeeper::see_to_deadlines() {
    store::scripts::time_out_call call{.max_count = batch, .seed = static_cast<std::int64_t>(random_())};
    book_.address(call);
    wake_at_ = clock::time_point::max(); // what is tracked from now on may be too late for this look
    auto seen = co_await store::time_out(service_, std::move(call));
    if (seen) {
        tell(seen->trouble);
        if (seen->due > 0 && book_.waiting_for_room > 0) {
            stop_.awake().notify_all();
        }
    }
    co_return seen;
}

awaitable<redis::result<bool>> timekeeper::see_to_retries() {
    auto where = co_await where_.locate();
    for (;;) {
        store::scripts::retry_call call{.max_count = batch / 5, .claim = where == place::elsewhere ? 1 : 0};
        if (where == place::other_database) {
            call.queue_db = std::to_string(queues_.server().db);
            call.service_db = std::to_string(service_.server().db);
        }
        book_.address(call);
        auto done = co_await store::retry(service_, std::move(call));
        if (!done) {
            co_return done.error();
        }
        if (where == place::elsewhere) {
            co_await push_claimed(std::move(done->told));
        } else {
            tell(done->told);
        }
        if (done->due == 0 || stop_.requested()) {
            co_return true;
        }
    }
}

// They were claimed before, so that a crash in between costs an attempt and never delivers one twice.
awaitable<void> timekeeper::push_claimed(std::vector<std::string> told) {
    for (std::size_t at = 0; at + 1 < told.size();) {
        auto outs = static_cast<std::size_t>(std::atoll(told[at + 1].c_str()));
        auto first = told.begin() + static_cast<std::ptrdiff_t>(at) + 2;
        store::scripts::deliver_call call{
            .outs = {first, first + static_cast<std::ptrdiff_t>(outs)}, .message = std::move(told[at])};
        auto pushed = co_await store::deliver(queues_, std::move(call));
        if (!pushed) {
            tell({pushed.error().text});
        }
        at += 2 + outs;
    }
}

bool timekeeper::is_worth_compacting(const store::scripts::time_out_outcome& seen) const {
    bool at_rest = clock::now() - reports_.last_taken() > rest && seen.due == 0;
    return seen.stale > 0 && (at_rest || seen.stale > seen.live + stale_enough);
}

awaitable<redis::result<bool>> timekeeper::compact() {
    while (!stop_.requested()) {
        store::scripts::compact_call call{.kept = book_.keys.ids_kept(), .max_count = compacted};
        book_.address(call);
        auto done = co_await store::compact(service_, std::move(call));
        if (!done) {
            co_return done.error();
        }
        if (done->going == 0) {
            break;
        }
    }
    co_return true;
}

awaitable<void> timekeeper::sleep(const store::scripts::time_out_outcome& seen) {
    auto now = clock::now();
    bool nothing = seen.next < 0 && seen.next_retry < 0;
    auto at = now + (nothing && seen.stale == 0 ? clock::duration{tick_} : clock::duration{look_again});
    for (auto next : {seen.next, seen.next_retry}) {
        if (next >= 0) {
            at = std::min(at, now + std::chrono::milliseconds{next});
        }
    }
    wake_at_ = std::min(wake_at_, at);
    auto changes = deadlines_.changes();
    if (nothing) {
        auto there = co_await deadlines_.exists();
        if (there && *there == 1) {
            wake_at_ = std::min(wake_at_, clock::now() + look_again / 2); // of others: it tells when it is due
        }
    }
    while (!stop_.requested() && clock::now() < wake_at_) {
        co_await stop_.awake().wait_for(wake_at_ - clock::now());
        if (nothing && deadlines_.changes() != changes) {
            co_return;
        }
    }
}

void timekeeper::tell(const std::vector<std::string>& trouble) {
    if (trouble.empty() || clock::now() - told_at_ < 10s) {
        return;
    }
    told_at_ = clock::now();
    for (const auto& each : trouble) {
        log_->error("a message cannot go where it should, trying again reason=\"{}\"", each);
    }
}

} // namespace leat::tracking
