#include "workers/command_run.hpp"

#include "base/descriptor.hpp"
#include "base/task_group.hpp"
#include "base/unicode.hpp"
#include "redis/digest.hpp"
#include "runtime/child.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <system_error>

namespace leat::workers {
namespace {

using boost::asio::awaitable;
using boost::asio::posix::stream_descriptor;
using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto as_tuple = boost::asio::as_tuple(boost::asio::use_awaitable);
constexpr auto grace = 2s;               // between SIGTERM and SIGKILL
constexpr std::size_t most_words = 4096; // kept of standard error

// Of a pipe, our end and the command's.
struct pipe_ends {
    int ours = -1;
    int theirs = -1;
};

pipe_ends make_pipe(bool we_write) {
    int made[2];
    if (::pipe2(made, O_CLOEXEC) != 0) {
        throw std::system_error{errno, std::generic_category(), "pipe"};
    }
    pipe_ends ends{we_write ? made[1] : made[0], we_write ? made[0] : made[1]};
    ::fcntl(ends.ours, F_SETFL, O_NONBLOCK);
    return ends;
}

class run {
public:
    run(const boost::asio::any_io_executor& executor, const base::log_ptr& log, const command& given,
        base::stop_signal& abandoned)
        : given_{given}
        , abandoned_{abandoned}
        , changed_{executor}
        , also_{abandoned, changed_}
        , tasks_{executor, log}
        , input_{executor}
        , output_{executor}
        , errors_{executor}
        , exit_{executor} {}

    awaitable<command_end> to_its_end() {
        if (!start()) {
            co_return end_;
        }
        tasks_.spawn("input", write_input());
        tasks_.spawn("output", read_output());
        tasks_.spawn("errors", read_errors());
        tasks_.spawn("exit", await_exit());
        co_await watch();
        for (auto* each : {&input_, &output_, &errors_}) { // somebody it has started may still hold the other end
            boost::system::error_code ignored;
            each->cancel(ignored);
        }
        co_await tasks_.wait();
        end_.code = child_.wait_for(10s).value_or(127);
        if (child_.ended_by_signal()) {
            end_.signal = end_.code - 128;
        }
        pass_on_lines(line_.size());
        end_.last_words = last_line();
        co_return std::move(end_);
    }

private:
    bool start() {
        std::array<pipe_ends, 3> pipes;
        std::optional<base::descriptor> theirs[3];
        try {
            for (std::size_t i = 0; i < pipes.size(); ++i) {
                pipes[i] = make_pipe(i == 0);
                theirs[i].emplace(pipes[i].theirs);
                (i == 0 ? input_ : i == 1 ? output_ : errors_).assign(pipes[i].ours);
            }
            runtime::child::options how;
            how.death_signal = SIGKILL; // its message is delivered again then
            how.program = given_.program;
            how.environment = given_.environment;
            how.only_environment = true;
            how.folder = given_.folder;
            how.input = pipes[0].theirs;
            how.out = pipes[1].theirs;
            how.errors = pipes[2].theirs;
            child_ = runtime::child{given_.words, how};
        } catch (const std::system_error& refused) {
            end_.unstarted = refused.code().value();
            return false;
        }
        auto handle = static_cast<int>(::syscall(SYS_pidfd_open, child_.pid(), 0));
        if (handle < 0) {
            end_.unstarted = errno;
            child_.signal_group(SIGKILL);
            child_.wait_for(10s);
            return false;
        }
        exit_.assign(handle);
        return true;
    }

    // Who does not read its input is not forced to.
    awaitable<void> write_input() {
        co_await boost::asio::async_write(input_, boost::asio::buffer(given_.input), as_tuple);
        input_.close();
    }

    awaitable<void> read_output() {
        std::array<char, 65536> part; // NOLINT(cppcoreguidelines-pro-type-member-init): filled before it is read
        for (;;) {
            auto [failed, size] = co_await output_.async_read_some(boost::asio::buffer(part), as_tuple);
            if (failed) {
                co_return;
            }
            take(part.data(), size);
        }
    }

    void take(const char* bytes, std::size_t size) {
        if (!given_.keeps_output) {
            [[maybe_unused]] auto written = ::write(STDOUT_FILENO, bytes, size);
            return;
        }
        if (end_.output.size() + size > given_.max_output) {
            end_.too_much = true;
            changed_.notify_all();
            return;
        }
        end_.output.append(bytes, size);
    }

    awaitable<void> read_errors() {
        std::array<char, 4096> part; // NOLINT(cppcoreguidelines-pro-type-member-init): filled before it is read
        for (;;) {
            auto [failed, size] = co_await errors_.async_read_some(boost::asio::buffer(part), as_tuple);
            if (failed) {
                co_return;
            }
            pass_on(part.data(), size);
        }
    }

    void pass_on(const char* bytes, std::size_t size) {
        words_.append(bytes, size);
        if (words_.size() > most_words) {
            words_.erase(0, words_.size() - most_words);
        }
        line_.append(bytes, size);
        auto whole = line_.rfind('\n') + 1; // 0: no line has ended
        pass_on_lines(whole == 0 && line_.size() > most_words ? line_.size() : whole);
    }

    // The beginning of what has come, with a line's end.
    void pass_on_lines(std::size_t size) {
        if (size == 0) {
            return;
        }
        if (label_.empty()) {
            constexpr std::size_t enough = 12; // digits to tell messages apart
            label_ = given_.service + " " + redis::sha1_hex(given_.message).substr(0, enough) + ": ";
        }
        std::string lines;
        for (std::size_t at = 0; at < size;) {
            auto end = std::min(line_.find('\n', at), size - 1);
            lines += label_ + line_.substr(at, end + 1 - at);
            at = end + 1;
        }
        lines += lines.ends_with('\n') ? "" : "\n";
        line_.erase(0, size);
        [[maybe_unused]] auto written = ::write(STDERR_FILENO, lines.data(), lines.size());
    }

    awaitable<void> await_exit() {
        co_await exit_.async_wait(stream_descriptor::wait_read, as_tuple);
        exited_ = true;
        drain();
        changed_.notify_all();
    }

    // What it wrote before it ended is there, though perhaps not read yet.
    void drain() {
        std::array<char, 65536> part; // NOLINT(cppcoreguidelines-pro-type-member-init): filled before it is read
        // Bounded: somebody else may still write.
        ssize_t got = 0;
        for (int i = 0; i < 64 && (got = ::read(output_.native_handle(), part.data(), part.size())) > 0; ++i) {
            take(part.data(), static_cast<std::size_t>(got));
        }
        for (int i = 0; i < 64 && (got = ::read(errors_.native_handle(), part.data(), part.size())) > 0; ++i) {
            pass_on(part.data(), static_cast<std::size_t>(got));
        }
    }

    // Ends it when it takes too long, writes too much, or is not wanted any more.
    awaitable<void> watch() {
        auto due = clock::now() + given_.timeout;
        std::optional<clock::time_point> kill_at;
        while (!exited_) {
            auto now = clock::now();
            bool too_late = now >= due;
            if (!kill_at && (too_late || end_.too_much || abandoned_.requested())) {
                end_.too_late = too_late;
                end_.abandoned = abandoned_.requested() && !too_late && !end_.too_much;
                kill_at = now + grace;
                child_.signal_group(SIGTERM);
                child_.signal_group(SIGCONT);
            } else if (kill_at && now >= *kill_at) {
                child_.signal_group(SIGKILL);
                kill_at = now + 1s;
            }
            co_await changed_.wait_for((kill_at ? *kill_at : due) - clock::now());
        }
        child_.signal_group(kill_at ? SIGKILL : 0); // what it has started, too, when it had to be ended
    }

    std::string last_line() const {
        auto end = words_.find_last_not_of(" \t\r\n");
        if (end == std::string::npos) {
            return "";
        }
        auto begin = words_.find_last_of("\r\n", end);
        begin = begin == std::string::npos ? 0 : begin + 1;
        return base::printable(std::string_view{words_}.substr(begin, end - begin + 1), 300);
    }

    const command& given_;
    base::stop_signal& abandoned_;
    base::notice changed_;
    base::stop_signal::also also_;
    base::task_group tasks_;
    stream_descriptor input_;
    stream_descriptor output_;
    stream_descriptor errors_;
    stream_descriptor exit_;
    runtime::child child_;
    bool exited_ = false;
    std::string words_; // on standard error, the last of them
    std::string line_;  // what has come of a line there
    std::string label_; // before each
    command_end end_;
};

} // namespace

boost::asio::awaitable<command_end> run_command(
    boost::asio::any_io_executor executor, base::log_ptr log, const command& given, base::stop_signal& abandoned) {
    run one{executor, log, given, abandoned};
    co_return co_await one.to_its_end();
}

} // namespace leat::workers
