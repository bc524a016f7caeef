#include "cli/ending.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <unistd.h>

#include <csignal>

namespace leat::cli {

using boost::asio::awaitable;

ending::ending(const boost::asio::any_io_executor& executor, redis::link& server)
    : stop{executor}
    , server_{server}
    , signals_{executor, SIGINT, SIGTERM}
    , keyboard_{executor}
    , tasks_{executor, base::create_log("leat")} {
    signals_.async_wait([this](boost::system::error_code cancelled, int) {
        if (!cancelled) {
            request();
        }
    });
}

void ending::watch_keyboard() {
    auto copy = ::dup(STDIN_FILENO);
    boost::system::error_code refused;
    keyboard_.assign(copy, refused); // a file cannot be watched, and has no keys
    if (refused) {
        ::close(copy);
    } else {
        tasks_.spawn("keyboard", read_keys());
    }
}

awaitable<void> ending::over() {
    signals_.cancel();
    boost::system::error_code ignored;
    keyboard_.close(ignored);
    co_await tasks_.wait();
}

void ending::request() {
    stop.request();
    server_.stop(); // a look may hang on it
}

awaitable<void> ending::read_keys() {
    char key = 0;
    while (!stop.requested()) {
        auto [failed, size] = co_await keyboard_.async_read_some(
            boost::asio::buffer(&key, 1), boost::asio::as_tuple(boost::asio::use_awaitable));
        if (failed) {
            co_return;
        }
        if (key == 'q' || key == 'Q' || key == 3) {
            request();
        }
    }
}

} // namespace leat::cli
