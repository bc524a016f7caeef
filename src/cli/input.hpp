#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <optional>
#include <string>

namespace leat::cli {

// Standard input, or a file, read while the connection to Redis goes on living.
class input {
public:
    // Throws std::runtime_error when the file cannot be read. Empty: standard input.
    input(const boost::asio::any_io_executor& executor, const std::string& file);

    // What has come, at least a byte; nothing at the end.
    boost::asio::awaitable<std::optional<std::string>> read();
    // Up to a newline, without it; nothing at the end.
    boost::asio::awaitable<std::optional<std::string>> read_line();

private:
    boost::asio::posix::stream_descriptor from_;
    std::string rest_;
};

// Asks the person at the terminal; all but yes is no.
boost::asio::awaitable<bool> is_confirmed(std::string question);

} // namespace leat::cli
