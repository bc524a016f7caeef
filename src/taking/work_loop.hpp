#pragma once

#include "redis/url.hpp"
#include "runtime/kind.hpp"
#include "taking/work.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>

namespace leat::taking {

// Takes, has decided, settles, until it is to stop; recovers what dead instances had in hand; brings back what waits
// for its next try. Whatever dies at whatever moment, each message is settled once; one that was decided and not
// settled when we died is decided again. With concurrency 1 a message is settled before the next is begun. Owned by its
// service.
class work_loop {
public:
    virtual ~work_loop() = default;
    virtual boost::asio::awaitable<runtime::exit_code> run() = 0;
    virtual void stop() = 0;
    // The service's id in its namespace, for stories and metrics.
    virtual void registered(std::int64_t id) = 0;
};

// Where the keys of the namespace are, when there is one: metrics are counted there, and a message that is tracked
// there is reported done.
struct name_space_home {
    redis::url server;
    std::string name_space;
    std::string reports; // list of them
};
std::unique_ptr<work_loop> create_work_loop(
    const runtime::context& given, const redis::url& server, std::optional<name_space_home> name_space, work what);

} // namespace leat::taking
