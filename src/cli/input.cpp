#include "cli/input.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iostream>
#include <stdexcept>

namespace leat::cli {

input::input(const boost::asio::any_io_executor& executor, const std::string& file)
    : from_{executor} {
    int opened = file.empty() ? ::dup(STDIN_FILENO) : ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat about{};
    if (opened < 0 || ::fstat(opened, &about) != 0 || S_ISDIR(about.st_mode)) {
        throw std::runtime_error{(file.empty() ? "standard input" : file) + ": cannot be read"};
    }
    from_.assign(opened);
}

boost::asio::awaitable<std::optional<std::string>> input::read() {
    std::string part(1U << 16U, '\0');
    auto [failed, size] =
        co_await from_.async_read_some(boost::asio::buffer(part), boost::asio::as_tuple(boost::asio::use_awaitable));
    if (failed) {
        co_return std::nullopt;
    }
    part.resize(size);
    co_return part;
}

boost::asio::awaitable<std::optional<std::string>> input::read_line() {
    for (;;) {
        auto end = rest_.find('\n');
        if (end != std::string::npos) {
            auto line = rest_.substr(0, end);
            rest_.erase(0, end + 1);
            co_return line;
        }
        auto more = co_await read();
        if (!more) {
            co_return rest_.empty() ? std::nullopt : std::optional{std::exchange(rest_, {})};
        }
        rest_ += *more;
    }
}

boost::asio::awaitable<bool> is_confirmed(std::string question) {
    std::cerr << question << " [y/N] ";
    auto executor = co_await boost::asio::this_coro::executor;
    input keyboard{executor, ""};
    auto answer = co_await keyboard.read_line();
    co_return answer == "y" || answer == "Y" || answer == "yes";
}

} // namespace leat::cli
