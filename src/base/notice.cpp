#include "base/notice.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cassert>

namespace leat::base {

notice::notice(boost::asio::any_io_executor executor)
    : executor_{std::move(executor)} {
}

notice::~notice() {
    assert(waiting_.empty());
}

void notice::notify_all() {
    for (auto* timer : waiting_) {
        timer->cancel();
    }
}

boost::asio::awaitable<void> notice::wait_for(std::chrono::steady_clock::duration longest) {
    boost::asio::steady_timer timer{executor_, longest};
    auto position = waiting_.insert(waiting_.end(), &timer);
    // Also when the whole coroutine is destroyed while it waits.
    struct leave {
        std::list<boost::asio::steady_timer*>& list;
        std::list<boost::asio::steady_timer*>::iterator position;
        ~leave() { list.erase(position); }
    } leaving{waiting_, position};
    co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
}

} // namespace leat::base
