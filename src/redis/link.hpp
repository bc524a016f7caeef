#pragma once

#include "base/log.hpp"
#include "base/notice.hpp"
#include "redis/failure.hpp"
#include "redis/reply.hpp"
#include "redis/url.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace leat::redis {

struct link_options {
    url server;
    std::string client_name; // CLIENT SETNAME, leat:<kind>:<name>
    base::log_ptr log;
    // A silent server is asked for a sign of life after this time and given up after twice of it.
    std::chrono::seconds health_check{3};
    std::function<void()> on_connect;
    // Set for a connection that listens: CLIENT TRACKING is on, and pushes arrive here.
    std::function<void(const reply&)> on_push;
};

// One connection to one server, over which any number of coroutines pipeline their calls. It connects anew for ever,
// with backoff and jitter. Owned by whoever runs `run`; calls must have ended before it goes.
class link {
public:
    virtual ~link() = default;

    // Connects and stays connected until stop(), or until the server refuses us so that no retry can help.
    virtual boost::asio::awaitable<void> run() = 0;
    virtual void stop() = 0;
    virtual const std::optional<failure>& refused() const = 0;
    virtual bool tells_refusal() = 0;               // true once: of the many who meet it, one has to tell
    virtual const std::string& trouble() const = 0; // why the last try to connect failed; empty once connected
    virtual bool ended() const = 0;                 // stopped or refused: there will be no connection any more

    // Fails at once while there is no connection. Who cancels it does not know whether it was done.
    virtual boost::asio::awaitable<result<reply>> call(command words) = 0;

    virtual bool connected() const = 0;
    virtual std::uint64_t connects() const = 0; // how often a connection was made
    virtual std::chrono::steady_clock::time_point connected_since() const = 0;
    virtual void reconnect() = 0;        // this server is not the right one: drop it, look it up again
    virtual base::notice& changed() = 0; // connected, lost, stopped
    virtual const url& server() const = 0;
    // What a script returns of an error is a value: this is it without the secrets that it may quote.
    virtual std::string masked(std::string_view text) const = 0;
};

std::unique_ptr<link> create_link(boost::asio::any_io_executor executor, link_options options);

} // namespace leat::redis
