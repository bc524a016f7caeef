#pragma once

#include "base/task_group.hpp"
#include "redis/link.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace leat::tests {

// An event loop for one test: the body runs as a coroutine beside the link's own; the loop ends when all have.
class on_loop {
public:
    on_loop();

    std::unique_ptr<redis::link> link(const std::string& url, redis::link_options options = {});
    void also(boost::asio::awaitable<void> task) { tasks_.spawn("beside the test", std::move(task)); }
    // Fails the test when the loop is not done after half a minute.
    void run(boost::asio::awaitable<void> body);
    boost::asio::any_io_executor executor() { return loop_.get_executor(); }

    // Looks every few milliseconds until it is true; false after the time.
    boost::asio::awaitable<bool> until(
        std::function<bool()> holds, std::chrono::milliseconds longest = std::chrono::seconds{15});
    boost::asio::awaitable<void> pause(std::chrono::milliseconds time);

private:
    boost::asio::io_context loop_{1};
    base::log_ptr log_;
    base::task_group tasks_;
};

} // namespace leat::tests
