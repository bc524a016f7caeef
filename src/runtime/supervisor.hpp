#pragma once

#include "base/log.hpp"
#include "base/task_group.hpp"
#include "config/value.hpp"
#include "runtime/connections.hpp"
#include "runtime/kind.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace leat::runtime {

// Runs services as coroutines of one thread until the last has ended. SIGTERM or SIGINT asks all of them to stop; a
// second one ends the process at once. The worst exit code of the services is the process's.
class supervisor {
public:
    explicit supervisor(std::string process);

    void add(const kind& of, const std::string& name, const config::value& settings);
    // Asked every second; false ends everything as failed (an embedded server that died).
    void depend_on(std::function<bool()> alive) { alive_ = std::move(alive); }
    exit_code run();

private:
    boost::asio::awaitable<void> run_one(service& one);
    boost::asio::awaitable<void> run_all();
    boost::asio::awaitable<void> watch_dependency();
    void await_signal();
    void stop_all();
    void worsen(exit_code seen);

    boost::asio::io_context loop_{1};
    base::log_ptr log_;
    base::log_ptr entry_log_;
    connections connections_;
    base::task_group tasks_;
    base::notice ended_;
    boost::asio::signal_set signals_;
    boost::asio::steady_timer patience_;
    std::vector<std::unique_ptr<service>> services_;
    std::function<bool()> alive_;
    bool signalled_ = false;
    bool done_ = false;
    exit_code worst_ = exit_code::asked;
};

} // namespace leat::runtime
