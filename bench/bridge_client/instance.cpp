#include "instance.hpp"

#include "base/random_name.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdio>
#include <cstdlib>

namespace leat::bench {

using boost::asio::awaitable;
using namespace std::chrono_literals;

namespace {

bridge::memory_queue_manager::options options_of(const words& given) {
    bridge::memory_queue_manager::options made;
    made.setup.prefix = prefix;
    made.setup.owner = base::random_name();
    made.rules.message_ttl = given.ttl;
    made.rules.pending_ttl = given.lease;
    made.rules.margin = given.lease / 6;
    made.rules.dedup_ttl = given.dedup;
    made.rules.retry_base = given.backoff;
    made.queue.concurrent = given.concurrent;
    made.queue.factor = given.factor;
    made.agent.by_turn = given.by_turn;
    return made;
}

redis::url url_of(const words& given) {
    return redis::parse_url("redis://127.0.0.1:" + std::to_string(given.port)).value();
}

} // namespace

instance::instance(const words& given, bridge::memory_queue_manager::tasks what)
    : log_{base::create_log("bench")}
    , connections_{io_.get_executor(), log_, "bench"}
    , url_{url_of(given)}
    , link_{connections_.link_of(url_, "leat:bench:bench", log_)}
    , listener_{connections_.listener_of(url_)}
    , tasks_{io_.get_executor(), log_}
    , manager_{io_.get_executor(), link_, listener_, log_, options_of(given), std::move(what)} {
}

double instance::wall() {
    auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>{now}.count();
}

awaitable<void> instance::rest(std::chrono::microseconds length) {
    boost::asio::steady_timer timer{io_, length};
    co_await timer.async_wait(boost::asio::use_awaitable);
}

awaitable<std::int64_t> instance::ask_whole(redis::command words) {
    auto answer = co_await link_.call(std::move(words));
    if (!answer) {
        give_up(answer.error().text);
    }
    auto text = answer->text();
    co_return text.empty() ? answer->whole() : std::atoll(std::string{text}.c_str());
}

awaitable<void> instance::begin(std::function<awaitable<void>()> main, bool with_manager) {
    while (!link_.connected() || !listener_.connection().connected()) {
        co_await rest(1ms);
    }
    if (with_manager) {
        start();
    }
    co_await main();
}

void instance::run(std::function<awaitable<void>()> main, bool with_manager) {
    spawn(begin(std::move(main), with_manager));
    io_.run();
}

void give_up(const std::string& reason) {
    std::fprintf(stderr, "bench: %s\n", reason.c_str());
    std::exit(1);
}

} // namespace leat::bench
