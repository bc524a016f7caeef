#include "tracking/tracker.hpp"

#include "store/scripts.hpp"

#include <limits>

namespace leat::tracking {

using boost::asio::awaitable;
using std::chrono::steady_clock;

namespace {

redis::url service_server(const tracking_settings& settings, const redis::link& queues) {
    return settings.service_redis ? redis::parse_url(*settings.service_redis).value() : queues.server();
}

ledger open_book(const tracking_settings& settings, const tracked_work& work, const redis::link& queues) {
    store::message_keys keys{*settings.service_namespace};
    return {
        .settings = settings,
        .keys = keys,
        .done = done_of(settings),
        .what_next = make_plan(settings, work, queues.server())};
}

} // namespace

tracker::tracker(
    const runtime::context& given, const tracking_settings& settings, const tracked_work& work, redis::server queues,
    base::stop_signal& stop)
    : log_{given.log}
    , stop_{stop}
    , queues_{std::move(queues)}
    , service_{given.redis.server_of(service_server(settings, queues_.calls()), given.client_name, given.log, stop)}
    , book_{open_book(settings, work, queues_.calls())}
    , where_{queues_.calls(), service_.calls()}
    , taker_{book_, service_, stop_, work.tick}
    , timekeeper_{book_, queues_, service_, given.redis.called_server_of(service_.where(), given.client_name, given.log, stop, "a message cannot go where it should", untroubled), where_, taker_, stop_, work.tick}
    , tracked_{service_.ears(), book_.keys.tracked(), stop_.awake()}
    , agents_{given.executor, given.log} {
}

awaitable<void> tracker::run() {
    agents_.spawn("take reports", run_taker());
    agents_.spawn("timekeeper", run_timekeeper());
    co_await agents_.wait();
}

awaitable<void> tracker::run_taker() {
    bool as_asked = co_await taker_.run();
    if (!as_asked) {
        fail();
    }
}

awaitable<void> tracker::run_timekeeper() {
    bool as_asked = co_await timekeeper_.run();
    if (!as_asked) {
        fail();
    }
}

void tracker::fail() {
    failed_ = true;
    stop_.request();
}

bool tracker::must_wait() const {
    return book_.settings.retry && book_.settings.over_capacity == "wait";
}

void tracker::fill(store::transfer_tracked_call& call, home where) const {
    book_.describe(call, where);
    call.wait = must_wait();
    if (where == home::other_database) {
        call.queue_db = std::to_string(queues_.where().db);
        call.service_db = std::to_string(service_.where().db);
    }
}

void tracker::moved(std::int64_t tracked, std::int64_t untracked) {
    if (tracked > 0) {
        timekeeper_.tracked();
    }
    if (untracked > 0) {
        missed(untracked, "messageCapacity=" + std::to_string(book_.settings.message_capacity));
    }
}

void tracker::missed(std::int64_t many, const std::string& reason) {
    bool first = untracked_ == 0;
    untracked_ += static_cast<std::uint64_t>(many);
    auto now = steady_clock::now();
    if (first || now - told_ > std::chrono::seconds{60}) {
        told_ = now;
        log_->warn("messages are delivered untracked reason=\"{}\" untracked={}", reason, untracked_);
    }
}

awaitable<std::int64_t> tracker::track(store::transfer_described_outcome moved_there) {
    store::track_call call{.keys = book_.keys, .described = std::move(moved_there.described)};
    book_.describe(call, home::elsewhere);
    if (must_wait()) {
        call.capacity =
            std::numeric_limits<std::int32_t>::max(); // they are delivered: several may have seen the same room
    }
    auto tracked = co_await store::track(service_.calls(), std::move(call));
    if (!tracked) {
        missed(moved_there.moved, tracked.error().text); // to try again could track them twice
        co_return 0;
    }
    moved(tracked->tracked, tracked->untracked);
    co_return tracked->tracked;
}

awaitable<redis::result<std::int64_t>> tracker::room() {
    if (!must_wait()) {
        co_return std::numeric_limits<std::int64_t>::max();
    }
    store::track_call call{.keys = book_.keys}; // of none
    book_.describe(call, home::elsewhere);
    auto asked = co_await store::track(service_.calls(), std::move(call));
    if (!asked) {
        service_.failed(asked.error());
        co_return asked.error();
    }
    service_.answered();
    co_return asked->room;
}

awaitable<void> tracker::await_room() {
    ++book_.waiting_for_room;
    auto seen = tracked_.changes();
    co_await tracked_.exists();
    if (tracked_.changes() == seen && !stop_.requested()) {
        co_await stop_.awake().wait_for(std::chrono::seconds{1});
    }
    --book_.waiting_for_room;
}

std::unique_ptr<tracker> create_tracker(
    const runtime::context& given, const tracking_settings& settings, const tracked_work& work, redis::server queues,
    base::stop_signal& stop) {
    if (!settings.service_namespace) {
        return nullptr;
    }
    return std::make_unique<tracker>(given, settings, work, std::move(queues), stop);
}

} // namespace leat::tracking
