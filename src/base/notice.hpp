#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <list>

namespace leat::base {

// A condition variable for the coroutines of one thread: wait, be notified or time out, look again. Whoever waits
// re-checks what it waits for, so a notice may come for any reason. It must outlive its waiters.
class notice {
public:
    explicit notice(boost::asio::any_io_executor executor);
    notice(const notice&) = delete;
    notice& operator=(const notice&) = delete;
    ~notice();

    void notify_all();
    const boost::asio::any_io_executor& executor() const { return executor_; }
    boost::asio::awaitable<void> wait_for(std::chrono::steady_clock::duration longest);

private:
    boost::asio::any_io_executor executor_;
    std::list<boost::asio::steady_timer*> waiting_;
};

} // namespace leat::base
