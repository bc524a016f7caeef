#pragma once

#include "base/log.hpp"
#include "config/value.hpp"
#include "runtime/connections.hpp"
#include "runtime/exit_code.hpp"
#include "runtime/metrics.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace leat::runtime {

// What a service is given to live with. `name` is its key in the run file, the file's own name, --name, or the kind.
struct context {
    boost::asio::any_io_executor executor;
    std::string kind;
    std::string name;
    std::string version;     // of leat
    std::string client_name; // leat:<kind>:<name>, in CLIENT LIST
    base::log_ptr log;
    connections& redis;
    runtime::metrics& metrics;
    config::value shown = {}; // its settings with the defaults, secrets masked
};

// How a service ended. `start_anew`: it failed for a reason that a fresh start mends.
struct outcome {
    exit_code code = exit_code::asked;
    bool start_anew = false;
};

// One running instance of a kind. The supervisor makes it, runs it once, and may ask it to stop at any time: it then
// takes nothing new, finishes what it has taken, and returns.
class service {
public:
    virtual ~service() = default;
    virtual boost::asio::awaitable<outcome> run() = 0;
    virtual void stop() = 0;
    // Its id in its namespace, before it runs, and again when Redis had forgotten it.
    virtual void registered(std::int64_t /*id*/) {}
    // Whether no other living service is registered in its namespace: told at the start, and again with each heartbeat.
    virtual void alone(bool) {}
    // How long it may take to stop when Redis does not answer; then its connections are dropped.
    virtual std::chrono::seconds patience() const { return std::chrono::seconds{1}; }
};

// A service that can take new settings while it runs.
template <class S>
class reloadable {
public:
    virtual ~reloadable() = default;
    // False: it must be started again to take them.
    virtual bool reload(const S& settings) = 0;
};

} // namespace leat::runtime
