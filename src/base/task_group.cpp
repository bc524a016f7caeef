#include "base/task_group.hpp"

#include <boost/asio/co_spawn.hpp>

#include <cstdlib>
#include <exception>

namespace leat::base {

task_group::task_group(boost::asio::any_io_executor executor, log_ptr log)
    : executor_{std::move(executor)}
    , log_{std::move(log)}
    , ended_{executor_} {
}

void task_group::spawn(std::string name, boost::asio::awaitable<void> task) {
    ++running_;
    boost::asio::co_spawn(executor_, std::move(task), [this, name = std::move(name)](const std::exception_ptr& thrown) {
        --running_;
        if (thrown) {
            try {
                std::rethrow_exception(thrown);
            } catch (const std::exception& reason) {
                log_->critical("broken invariant, aborting task={} reason={}", name, reason.what());
            } catch (...) {
                log_->critical("broken invariant, aborting task={}", name);
            }
            std::abort();
        }
        ended_.notify_all();
    });
}

boost::asio::awaitable<void> task_group::wait() {
    while (running_ > 0) {
        co_await ended_.wait_for(std::chrono::hours{1});
    }
}

} // namespace leat::base
