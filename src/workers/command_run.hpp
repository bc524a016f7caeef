#pragma once

#include "base/log.hpp"
#include "base/stop_signal.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace leat::workers {

// One run of a command: what it is given, and its limits.
struct command {
    std::string program; // a path
    std::vector<std::string> words;
    std::vector<std::string> environment; // all of it
    std::string folder;
    std::string input; // on standard input
    std::chrono::seconds timeout{60};
    std::size_t max_output = 1 << 20;
    bool keeps_output = true; // else it goes to our own standard output
    // What it writes to standard error goes to ours, each line with the service and the digest of the message before
    // it.
    std::string service;
    std::string_view message;
};

// How it ended.
struct command_end {
    int unstarted = 0; // errno, when it could not be started
    int code = 0;      // of its exit
    int signal = 0;    // that ended it
    bool too_late = false;
    bool too_much = false;  // output
    bool abandoned = false; // because we were told to
    std::string output;
    std::string last_words; // the last line of what it wrote to standard error
};

// Runs it to its end. When it has to be ended, so is its whole process group. It dies with us, even when we are killed;
// what it has started itself may not.
boost::asio::awaitable<command_end> run_command(
    boost::asio::any_io_executor executor, base::log_ptr log, const command& given, base::stop_signal& abandoned);

} // namespace leat::workers
