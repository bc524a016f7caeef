#pragma once

#include "base/notice.hpp"
#include "redis/link.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>

namespace leat::runtime {

// A server may close the connection over a call that is larger than its buffers; all others on the connection are lost
// with it. So large calls that were lost go one at a time, and each says how often it was lost alone. Owned by whoever
// makes the calls.
class large_calls {
public:
    static constexpr std::size_t large = 65'536; // bytes
    static constexpr int enough = 5;             // losses in a row of one call that goes alone

    explicit large_calls(const boost::asio::any_io_executor& executor)
        : turn_over_{executor} {}

    // What is known of one call, over its tries.
    struct tries {
        std::size_t bytes = 0;
        bool was_lost = false;
        int lost_alone = 0;
        bool is_given_up() const { return lost_alone >= enough; }
    };
    boost::asio::awaitable<redis::result<redis::reply>> call(redis::link& server, redis::command words, tries& known);

private:
    base::notice turn_over_;
    bool busy_ = false;
};

} // namespace leat::runtime
