#pragma once

#include "base/stop_signal.hpp"
#include "base/task_group.hpp"
#include "redis/link.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>

namespace leat::cli {

// How a command that looks again and again ends: by `q`, Ctrl-C or SIGTERM. Owned by the command's coroutine, which
// awaits `over` before it goes.
class ending {
public:
    ending(const boost::asio::any_io_executor& executor, redis::link& server);

    void watch_keyboard();
    boost::asio::awaitable<void> over();

    base::stop_signal stop;

private:
    void request();
    boost::asio::awaitable<void> read_keys();

    redis::link& server_;
    boost::asio::signal_set signals_;
    boost::asio::posix::stream_descriptor keyboard_;
    base::task_group tasks_;
};

} // namespace leat::cli
