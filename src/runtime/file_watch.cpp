#include "runtime/file_watch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/inotify.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace leat::runtime {

namespace asio = boost::asio;
constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

file_watch::file_watch(
    const asio::any_io_executor& executor, const std::vector<std::string>& paths, base::log_ptr log,
    std::function<void()> changed)
    : events_{executor, ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)}
    , tasks_{executor, std::move(log)}
    , changed_{std::move(changed)} {
    for (const auto& each : paths) {
        std::filesystem::path path{each};
        bool is_folder = std::filesystem::is_directory(path);
        auto folder = is_folder ? path : path.parent_path().empty() ? std::filesystem::path{"."} : path.parent_path();
        auto number = ::inotify_add_watch(
            events_.native_handle(), folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE);
        if (number < 0) {
            throw std::system_error{errno, std::generic_category(), "cannot watch " + folder.string()};
        }
        auto [found, is_new] = names_.try_emplace(number);
        if (is_folder) {
            found->second.clear();
        } else if (is_new || !found->second.empty()) {
            found->second.insert(path.filename());
        }
    }
    tasks_.spawn("watch files", watch());
}

void file_watch::stop() {
    boost::system::error_code ignored;
    events_.close(ignored);
}

bool file_watch::concerns_us(const char* events, std::size_t size) const {
    for (std::size_t at = 0; at + sizeof(inotify_event) <= size;) {
        inotify_event one{};
        std::memcpy(&one, events + at, sizeof one);
        std::string name{one.len > 0 ? events + at + sizeof one : ""};
        auto found = names_.find(one.wd);
        if (found != names_.end() && (found->second.empty() ? !name.starts_with('.') : found->second.contains(name))) {
            return true;
        }
        at += sizeof one + one.len;
    }
    return false;
}

asio::awaitable<void> file_watch::watch() {
    alignas(inotify_event) std::array<char, 4096> buffer{};
    asio::steady_timer quiet{events_.get_executor()};
    for (;;) {
        auto [failed, size] = co_await events_.async_read_some(asio::buffer(buffer), as_result);
        if (failed) {
            co_return;
        }
        if (!concerns_us(buffer.data(), size)) {
            continue;
        }
        quiet.expires_after(std::chrono::milliseconds{200}); // the rest of what an editor does
        co_await quiet.async_wait(as_result);
        while (events_.is_open() && ::read(events_.native_handle(), buffer.data(), buffer.size()) > 0) {
        }
        if (!events_.is_open()) {
            co_return;
        }
        changed_();
    }
}

} // namespace leat::runtime
