#pragma once

#include "base/log.hpp"
#include "base/task_group.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace leat::runtime {

// Tells when files, or what is in folders, were written, moved or removed: once, shortly after the last of several
// changes. Editors that write a new file and move it over the old one count, too.
class file_watch {
public:
    // Throws std::system_error when a folder cannot be watched.
    file_watch(
        const boost::asio::any_io_executor& executor, const std::vector<std::string>& paths, base::log_ptr log,
        std::function<void()> changed);

    void stop();

private:
    boost::asio::awaitable<void> watch();
    bool concerns_us(const char* events, std::size_t size) const;

    boost::asio::posix::stream_descriptor events_;
    base::task_group tasks_;
    std::map<int, std::set<std::string>> names_; // that count, of each folder; none: all
    std::function<void()> changed_;
};

} // namespace leat::runtime
