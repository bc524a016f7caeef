#include "tracking/timekeeper.hpp"

namespace leat::tracking {

using boost::asio::awaitable;
using namespace std::chrono_literals;

namespace {

// With a call, so that Redis is held for a few milliseconds.
constexpr std::int64_t due_messages = 250;
constexpr std::int64_t due_retries = 100;
constexpr std::int64_t compacted_ids = 2000;
constexpr auto look_again = 1s; // for deadlines of others
// The list of ids is compacted in the middle of work when more than half of it is stale, at rest when a tenth is, and
// for less only after a long rest: a pass looks at every id.
constexpr std::int64_t stale_enough = 1000;
constexpr auto rest = 500ms;
constexpr auto long_rest = 30s;

} // namespace

timekeeper::timekeeper(
    const ledger& book, redis::server queues, redis::server service, redis::server stuck, service_home& where,
    const done_taker& reports, base::stop_signal& stop, std::chrono::seconds tick)
    : book_{book}
    , queues_{std::move(queues)}
    , service_{std::move(service)}
    , stuck_{std::move(stuck)}
    , where_{where}
    , reports_{reports}
    , stop_{stop}
    , tick_{tick}
    , deadlines_{service_.ears(), book.keys.deadlines(), stop.awake()} {
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
        due_now seen;
        auto more = co_await turn(seen);
        if (!more) {
            bool go_on = co_await service_.after(more.error());
            if (!go_on) {
                co_return false;
            }
            continue;
        }
        service_.answered();
        if (!*more) {
            co_await sleep(seen);
        }
    }
    co_return true;
}

awaitable<redis::result<bool>> timekeeper::turn(due_now& seen) {
    auto looked = co_await see_to_deadlines();
    if (!looked) {
        co_return looked.error();
    }
    seen = *looked;
    bool more = seen.next == 0;
    if (seen.next_retry == 0) {
        auto retried = co_await see_to_retries();
        if (!retried) {
            co_return retried.error();
        }
        more = more || retried->more;
        if (!retried->any) {
            seen.next_retry = std::chrono::milliseconds{look_again}.count(); // they wait for something
        }
    }
    if (compacting_ || is_worth_compacting(seen)) {
        auto compacted = co_await compact();
        if (!compacted) {
            co_return compacted.error();
        }
        more = more || *compacted;
    }
    co_return more;
}

awaitable<redis::result<timekeeper::due_now>> timekeeper::see_to_deadlines() {
    store::time_out_call call{
        .keys = book_.keys,
        .remember = book_.settings.message_expire,
        .max_count = due_messages,
        .seed = static_cast<std::int64_t>(random_())};
    wake_at_ = clock::time_point::max(); // what is tracked from now on may be too late for this look
    auto seen = co_await store::time_out(service_.calls(), std::move(call));
    if (seen) {
        note(seen->trouble);
        if (seen->due > 0 && book_.waiting_for_room > 0) {
            stop_.awake().notify_all();
        }
    }
    co_return seen;
}

awaitable<redis::result<timekeeper::progress>> timekeeper::see_to_retries() {
    auto where = co_await where_.locate();
    bool away = where == home::elsewhere;
    if (away && !queues_.calls().connected()) {
        co_return co_await delay_retries();
    }
    store::retry_call call{
        .keys = book_.keys,
        .remember = book_.settings.message_expire,
        .max_count = due_retries,
        .service_db = service_.where().db};
    if (away) {
        call.server = queues_.where().shown;
    }
    auto done = co_await store::retry(service_.calls(), std::move(call));
    if (!done) {
        if (done.error().kind == redis::error_class::pause_intake) {
            co_await delay_retries(); // what is due must not expire while Redis is full
        }
        co_return done.error();
    }
    note(done->trouble);
    co_await push_handed_retries(std::move(done->handed));
    co_return progress{.any = done->delivered > 0, .more = done->more};
}

awaitable<redis::result<timekeeper::progress>> timekeeper::delay_retries() {
    store::delay_retries_call call{.keys = book_.keys, .max_count = due_messages};
    auto done = co_await store::delay_retries(service_.calls(), std::move(call));
    if (!done) {
        co_return done.error();
    }
    co_return progress{.any = false, .more = done->delayed == due_messages};
}

// Their attempts were counted before, so that a crash in between, or a lost answer, costs an attempt and never delivers
// one twice. What was certainly not pushed waits again.
awaitable<void> timekeeper::push_handed_retries(std::vector<store::handed_retry> handed) {
    for (auto& each : handed) {
        store::deliver_call call{
            .outs = std::move(each.outs), .message = std::move(each.message), .max_length = each.max_length};
        auto pushed = co_await store::deliver(queues_.calls(), std::move(call));
        bool refused = pushed ? !pushed->delivered : !pushed.error().outcome_unknown;
        if (refused) {
            co_await undo_retry(std::move(each.id));
        }
        if (pushed) {
            queues_.answered();
        } else {
            co_await queues_.wait_after(pushed.error());
        }
    }
}

awaitable<void> timekeeper::undo_retry(std::string id) {
    store::undo_retry_call call{.keys = book_.keys, .id = std::move(id)};
    co_await store::undo_retry(service_.calls(), std::move(call));
}

bool timekeeper::is_worth_compacting(const due_now& seen) const {
    if (seen.stale == 0 || clock::now() - futile_pass_ < long_rest) {
        return false;
    }
    auto quiet = clock::now() - reports_.last_taken();
    bool at_rest = seen.due == 0 && quiet > (10 * seen.stale >= seen.live ? clock::duration{rest} : long_rest);
    return at_rest || seen.stale > seen.live + stale_enough;
}

// A part of the list; whether there is more of it.
awaitable<redis::result<bool>> timekeeper::compact() {
    store::compact_call call{.keys = book_.keys, .max_count = compacted_ids};
    auto done = co_await store::compact(service_.calls(), std::move(call));
    if (!done) {
        co_return done.error();
    }
    compacting_ = done->going;
    if (!compacting_) {
        if (done->removed == 0) {
            futile_pass_ = clock::now(); // somebody has listed what is not ours to remove
        }
    }
    co_return compacting_;
}

awaitable<void> timekeeper::sleep(due_now seen) {
    auto now = clock::now();
    bool nothing = seen.next < 0 && seen.next_retry < 0;
    auto at = now + (nothing && seen.stale == 0 ? clock::duration{tick_} : clock::duration{look_again});
    for (auto next : {seen.next, seen.next_retry}) {
        if (next >= 0) {
            at = std::min(at, now + std::chrono::milliseconds{next});
        }
    }
    if (troubled_at_) {
        at = std::min<clock::time_point>(at, *troubled_at_ + untroubled);
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

// A look without trouble may have met none of the messages that wait: it is over when there was none for a while.
void timekeeper::note(const std::vector<std::string>& trouble) {
    for (const auto& each : trouble) {
        stuck_.failed({.kind = redis::classify(each), .text = service_.calls().masked(each)});
        troubled_at_ = clock::now();
    }
    if (troubled_at_ && clock::now() - *troubled_at_ >= untroubled) {
        troubled_at_.reset();
        stuck_.answered();
    }
}

} // namespace leat::tracking
