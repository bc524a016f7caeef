#pragma once

#include "base/log.hpp"
#include "base/notice.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace leat::base {

// Runs background coroutines by name. No task is ever detached: its owner waits for all of them before it goes.
// An exception that leaves a task is a broken invariant: it is logged with the task's name and aborts the process.
class task_group {
public:
    task_group(boost::asio::any_io_executor executor, log_ptr log);

    void spawn(std::string name, boost::asio::awaitable<void> task);
    std::size_t running() const { return running_; }
    boost::asio::awaitable<void> wait();

private:
    boost::asio::any_io_executor executor_;
    log_ptr log_;
    notice ended_;
    std::size_t running_ = 0;
};

} // namespace leat::base
