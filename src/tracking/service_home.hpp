#pragma once

#include "redis/link.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>

namespace leat::tracking {

// Where the service and message keys are, as seen from the queues. On the same server, one script writes both.
enum class home : std::uint8_t { here, other_database, elsewhere };

// Two names may lead to one server, and may cease to: asked at each connect. It is the same server when its run_id and
// our user there are equal; who does not let us ask counts as another one.
class service_home {
public:
    service_home(redis::link& queues, redis::link& service)
        : queues_{queues}
        , service_{service} {}

    boost::asio::awaitable<home> locate();

private:
    redis::link& queues_;
    redis::link& service_;
    std::uint64_t queue_connects_ = 0; // when it was asked
    std::uint64_t service_connects_ = 0;
    home found_ = home::elsewhere;
};

} // namespace leat::tracking
