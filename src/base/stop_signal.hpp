#pragma once

#include "base/notice.hpp"

namespace leat::base {

// How a service learns that it is to stop, and what its waits wake up for: one notice for all that may change. Owned by
// the service; must outlive the waits.
class stop_signal {
public:
    explicit stop_signal(boost::asio::any_io_executor executor)
        : awake_{std::move(executor)} {}

    void request() {
        requested_ = true;
        awake_.notify_all();
    }
    bool requested() const { return requested_; }
    notice& awake() { return awake_; }

private:
    notice awake_;
    bool requested_ = false;
};

} // namespace leat::base
