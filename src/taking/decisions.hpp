#pragma once

#include "base/stop_signal.hpp"
#include "base/task_group.hpp"
#include "taking/backlog.hpp"
#include "taking/taker.hpp"

#include <memory>

namespace leat::taking {

// Has each message that was taken decided by the kind, at once, by a ticket, or by a coroutine, and tells the taker.
// Owned by the work loop, which waits for those that are under way before it ends.
class decisions final : public ticket_owner {
public:
    decisions(const work& what, taker& decides, base::stop_signal& stop, const base::log_ptr& log);

    // With all that was taken since the last time.
    void begin();
    // What is under way is to be decided soon.
    void abandon();
    // Likewise, because it is another's by now; what begins from now on goes on.
    void begin_anew();
    boost::asio::awaitable<void> wait();
    void decided(hand::entry which, verdict how) override;

private:
    void begin(hand::entry which);
    boost::asio::awaitable<void> decide(hand::entry which, std::shared_ptr<base::stop_signal> abandoned);

    const work& work_;
    taker& taker_;
    backlog::report backlog_;
    base::stop_signal& stop_;
    std::shared_ptr<base::stop_signal> abandoned_; // of the decisions under this lease
    base::task_group under_way_;
};

} // namespace leat::taking
