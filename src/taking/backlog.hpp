#pragma once

#include "base/notice.hpp"

#include <utility>

namespace leat::taking {

// Whether those who bring the results of messages are to wait: a loop has more bytes in flight than it may have, some
// of them decided, and others still wait for results. Such a loop takes nothing, so what it waits for ends with its
// timeout at the latest, and then it holds nobody up any more. Owned by whoever makes the loops; outlives them.
class backlog {
public:
    explicit backlog(boost::asio::any_io_executor executor)
        : changed_{std::move(executor)} {}

    bool is_full() const { return full_loops_ > 0; }
    base::notice& changed() { return changed_; }

    // What one loop says of itself, as long as it lives.
    class report {
    public:
        explicit report(backlog* to) // null: nobody waits
            : to_{to} {}
        report(const report&) = delete;
        report& operator=(const report&) = delete;
        ~report() { set(false); }

        void set(bool full) {
            if (to_ != nullptr && std::exchange(full_, full) != full) {
                to_->full_loops_ += full ? 1 : -1;
                to_->changed_.notify_all();
            }
        }

    private:
        backlog* to_;
        bool full_ = false;
    };

private:
    base::notice changed_;
    int full_loops_ = 0;
};

} // namespace leat::taking
