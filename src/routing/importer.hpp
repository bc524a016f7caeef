#pragma once

#include "message/envelope.hpp"
#include "runtime/exit_code.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace leat::routing {

// What has become of a message, for tests of a route.
struct trial {
    std::optional<std::string> reply;
    std::optional<message::error> error;
    std::vector<std::pair<std::string, std::string>> pushes; // to a list, a message
};

// Where messages come in: takes them from somewhere, sends each along its route, and does with the outcome what is due.
class importer {
public:
    importer() = default;
    importer(const importer&) = delete;
    importer& operator=(const importer&) = delete;
    virtual ~importer() = default;

    virtual const std::string& name() const = 0;
    virtual std::chrono::milliseconds timeout() const = 0;
    // What it takes from. After a reload the new importer of a source begins when the old one has ended.
    virtual const std::string& source() const = 0;

    // Until it is stopped and nothing is on its way, or it cannot go on.
    virtual boost::asio::awaitable<runtime::exit_code> run() = 0;
    virtual void stop() = 0;
    virtual void registered(std::int64_t /*id*/) {}

    // One message by hand, while it does not run; `then` hears what has become of it, perhaps at once.
    virtual void import(std::string message, std::function<void(trial)> then) = 0;
};

} // namespace leat::routing
