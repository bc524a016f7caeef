#include "support/on_loop.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>

namespace leat::tests {

on_loop::on_loop()
    : log_{base::create_log("test")}
    , tasks_{loop_.get_executor(), log_} {
}

std::unique_ptr<redis::link> on_loop::link(const std::string& url, redis::link_options options) {
    options.server = redis::parse_url(url).value();
    if (options.client_name.empty()) {
        options.client_name = "leat:test:link";
    }
    options.log = log_;
    auto made = redis::create_link(loop_.get_executor(), std::move(options));
    tasks_.spawn("link", made->run());
    return made;
}

void on_loop::run(boost::asio::awaitable<void> body) {
    tasks_.spawn("body", std::move(body));
    loop_.run_for(std::chrono::seconds{30});
    ASSERT_EQ(tasks_.running(), 0U) << "the test hangs";
}

boost::asio::awaitable<bool> on_loop::until(std::function<bool()> holds, std::chrono::milliseconds longest) {
    auto latest = std::chrono::steady_clock::now() + longest;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > latest) {
            co_return false;
        }
        co_await pause(std::chrono::milliseconds{5});
    }
    co_return true;
}

boost::asio::awaitable<void> on_loop::pause(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer{loop_, time};
    co_await timer.async_wait(boost::asio::use_awaitable);
}

} // namespace leat::tests
