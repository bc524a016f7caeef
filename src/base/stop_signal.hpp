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
        for (auto* each : also_) {
            each->notify_all();
        }
    }
    bool requested() const { return requested_; }
    notice& awake() { return awake_; }

    // While it lives, a request wakes this notice, too.
    class also {
    public:
        also(stop_signal& signal, notice& woken)
            : signal_{signal}
            , position_{signal.also_.insert(signal.also_.end(), &woken)} {}
        also(const also&) = delete;
        also& operator=(const also&) = delete;
        ~also() { signal_.also_.erase(position_); }

    private:
        stop_signal& signal_;
        std::list<notice*>::iterator position_;
    };

private:
    notice awake_;
    std::list<notice*> also_;
    bool requested_ = false;
};

} // namespace leat::base
