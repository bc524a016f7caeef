#include "routing/engine_room.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace leat::routing {

using boost::asio::awaitable;
using clock = std::chrono::steady_clock;

engine_room::engine_room(const runtime::context& given, const runtime::service_settings& settings, std::string redis)
    : context_{given}
    , stop_{given.executor}
    , passages_{[this] { stop_.awake().notify_all(); }}
    , results_{given.executor}
    , tasks_{given.executor, given.log}
    , name_space_{taking::name_space_of(settings, redis)}
    , for_processors_{
          .passages = passages_,
          .counts = given.metrics,
          .log = given.log,
          .server = std::move(redis),
          .server_of = [this](const std::string& url, std::string what) { return server_of(url, std::move(what)); },
          .requests_on = [this](const std::string& url) -> requests& { return requests_on(url); },
          .spawn =
              [this](std::string name, awaitable<void> task) {
                  spawn(std::move(name), started_later(std::move(task)));
              },
          .loop_of =
              [this](taking::work what) {
                  what.results = &results_;
                  return taking::create_work_loop(
                      context_, redis::parse_url(for_processors_.server).value(), name_space(), std::move(what));
              }} {
}

awaitable<void> started_later(awaitable<void> task) {
    co_await boost::asio::post(boost::asio::use_awaitable);
    co_await std::move(task);
}

redis::server engine_room::server_of(const std::string& url, std::string what) {
    return context_.redis.called_server_of(
        redis::parse_url(url).value(), context_.client_name, context_.log, stop_, std::move(what));
}

requests& engine_room::requests_on(const std::string& url) {
    auto& found = requests_[url];
    if (!found) {
        found = std::make_unique<requests>(context_, redis::parse_url(url).value(), context_.metrics, results_);
    }
    return *found;
}

void engine_room::begin() {
    tasks_.spawn("keep time", keep_time());
    tasks_.spawn("count what is late", count_late());
}

awaitable<void> engine_room::keep_time() {
    while (!stop_.requested()) {
        passages_.expire(clock::now());
        auto left = std::min<clock::duration>(passages_.next_deadline() - clock::now(), std::chrono::hours{1});
        if (left.count() > 0) {
            co_await stop_.awake().wait_for(left);
        }
    }
}

// What came too late to be of use.
awaitable<void> engine_room::count_late() {
    while (!stop_.requested()) {
        auto next = clock::now() + std::chrono::seconds{1}; // we are woken for other reasons, too
        while (!stop_.requested() && clock::now() < next) {
            co_await stop_.awake().wait_for(next - clock::now());
        }
        if (passages_.late() > late_) {
            context_.metrics.add("late", static_cast<std::int64_t>(passages_.late() - late_));
            late_ = passages_.late();
        }
    }
}

awaitable<void> engine_room::end() {
    for (auto& [url, each] : requests_) {
        each->stop();
    }
    for (auto& [url, each] : requests_) {
        co_await each->ended();
    }
    stop_.request();
    co_await tasks_.wait();
}

} // namespace leat::routing
