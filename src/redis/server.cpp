#include "redis/server.hpp"

#include <algorithm>

namespace leat::redis {

server::server(
    link& calls, listener* ears, base::log_ptr log, base::stop_signal& stop, std::string what, clock::duration quiet)
    : calls_{calls}
    , ears_{ears}
    , log_{std::move(log)}
    , stop_{stop}
    , what_{what.empty() ? std::string{} : ", " + std::move(what)}
    , policy_{quiet} {
}

boost::asio::awaitable<void> server::await_connection(clock::time_point latest) {
    while (!stop_.requested() && !calls_.connected() && !calls_.ended() && clock::now() < latest) {
        co_await calls_.changed().wait_for(std::min<clock::duration>(std::chrono::seconds{1}, latest - clock::now()));
    }
}

boost::asio::awaitable<bool> server::after(failure failed, clock::time_point latest) {
    if (calls_.refused()) {
        failed = *calls_.refused();
    }
    return wait(std::move(failed), false, latest);
}

boost::asio::awaitable<void> server::wait_after(failure failed, clock::time_point latest) {
    co_await wait(std::move(failed), true, latest);
}

// What an earlier one has done is no fault of this one.
bool server::is_of_this_connection(const failure& what) const {
    return calls_.connected() && (what.epoch == 0 || what.epoch == calls_.connects());
}

boost::asio::awaitable<bool> server::wait(failure failed, bool patient, clock::time_point latest) {
    auto now = clock::now();
    auto reaction = policy_.failed(failed, is_of_this_connection(failed), patient, now);
    tell(reaction.log, failed);
    if (reaction.looks_up) {
        look_up_again(failed.epoch);
    }
    if (stop_.requested()) { // whoever goes on all the same has something to bring to an end
        co_await calls_.changed().wait_for(std::min<clock::duration>(std::chrono::milliseconds{100}, latest - now));
        co_return reaction.goes_on;
    }
    auto until = std::min(now + reaction.pause, latest);
    while (!stop_.requested() && clock::now() < until) { // it is woken for other reasons, too
        co_await stop_.awake().wait_for(until - clock::now());
    }
    if (reaction.goes_on) {
        co_await await_connection(latest);
    }
    if (reaction.goes_on && calls_.ended() && !stop_.requested()) { // there will be no connection any more
        co_await stop_.awake().wait_for(std::min<clock::duration>(std::chrono::seconds{1}, latest - clock::now()));
        tell_end();
    }
    co_return reaction.goes_on;
}

void server::tell(failure_policy::reaction::says how, const failure& failed) {
    using says = failure_policy::reaction::says;
    switch (how) {
    case says::nothing:
        break;
    case says::waits:
        log_->warn("waiting{} class={} reason=\"{}\"", what_, to_string(failed.kind), failed.text);
        break;
    case says::awaits_repair:
        log_->error("waiting for repair, nothing is lost{} reason=\"{}\"", what_, failed.text);
        break;
    case says::stops:
        log_->error("Redis refuses, stopping server={} reason=\"{}\"", where().shown, failed.text);
        break;
    }
}

// Both must end at the same server, wherever its name leads now. A connection that was made after the one which failed
// has been looked up since.
void server::look_up_again(std::uint64_t epoch) {
    if (std::exchange(looked_up_, epoch) != epoch && ears_ != nullptr && ears_->connection().connected()) {
        ears_->connection().reconnect();
    }
    if (calls_.connected() && calls_.connects() == epoch) {
        calls_.reconnect();
    }
}

// Who serves our own queues stops when their server refuses us; of another one nobody would know why calls fail.
void server::tell_end() {
    if (!stop_.requested() && calls_.tells_refusal()) {
        log_->error(
            "Redis refuses, what goes there fails server={} reason=\"{}\"", where().shown, calls_.refused()->text);
    }
}

void server::failed(const failure& what) {
    if (calls_.ended()) {
        return tell_end();
    }
    auto reaction = policy_.failed(what, is_of_this_connection(what), true, clock::now());
    tell(reaction.log, what);
    if (reaction.looks_up) {
        look_up_again(what.epoch);
    }
}

bool server::tolerates(const failure& what) {
    if (what.kind == error_class::stop || !calls_.connected()) {
        return false;
    }
    failed(what);
    return true;
}

boost::asio::awaitable<void> server::meet() {
    auto& listening = ears_->connection();
    auto& stale = listening.connected_since() > calls_.connected_since() ? calls_ : listening;
    stale.reconnect();
    co_await stop_.awake().wait_for(std::chrono::seconds{1});
}

void server::answered() {
    if (policy_.answered(clock::now())) {
        log_->info("going on{}", what_);
    }
    align();
}

boost::asio::awaitable<void> server::end_when_quiet(clock::duration quiet) {
    if (std::exchange(awaits_quiet_, true)) {
        co_return;
    }
    std::uint64_t seen = 0;
    while (!stop_.requested() && seen != failures()) {
        seen = failures();
        auto until = clock::now() + quiet;
        while (!stop_.requested() && clock::now() < until) {
            co_await stop_.awake().wait_for(until - clock::now());
        }
    }
    co_await await_connection();
    awaits_quiet_ = false;
    if (!stop_.requested()) {
        answered();
    }
}

// When one of the two was lost and made again, the name may lead elsewhere by now, and both must end at the same
// server: the other is made again, too.
void server::align() {
    if (ears_ == nullptr || !ears_->connection().connected()) {
        return;
    }
    auto& listening = ears_->connection();
    bool calls_new = calls_.connects() != aligned_calls_;
    bool ears_new = listening.connects() != aligned_ears_;
    if (calls_new && ears_new) {
        aligned_calls_ = calls_.connects();
        aligned_ears_ = listening.connects();
    } else if (calls_new) {
        listening.reconnect();
    } else if (ears_new) {
        calls_.reconnect();
    }
}

} // namespace leat::redis
