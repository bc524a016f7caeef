#include "runtime/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

namespace leat::runtime {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> made;
    made.reserve(words.size() + 1);
    for (const auto& word : words) {
        made.push_back(const_cast<char*>(word.c_str())); // NOLINT(cppcoreguidelines-pro-type-const-cast): execve's type
    }
    made.push_back(nullptr);
    return made;
}

std::vector<std::string> environment_with(const child::options& how) {
    std::vector<std::string> all{how.environment};
    if (how.only_environment) {
        return all;
    }
    for (char** each = environ; *each != nullptr; ++each) {
        all.emplace_back(*each);
    }
    return all;
}

// Between vfork and exec, in our memory: only what is safe there. Returns on failure, with errno set.
void become(
    const char* program, char* const* words, char* const* environment, const child::options& how, int output,
    pid_t parent) {
    // Our handlers would write into the parent's pipes; so they go before signals are let in again.
    for (int number : {SIGINT, SIGTERM, SIGCHLD, SIGPIPE, SIGHUP}) {
        ::signal(number, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::setpgid(0, 0); // Ctrl-C is for us; we end our children in order
    if (::prctl(PR_SET_PDEATHSIG, how.death_signal) != 0) {
        return;
    }
    if (::getppid() != parent) { // we were killed before the line above
        ::_exit(127);
    }
    if (output >= 0 && (::dup2(output, STDOUT_FILENO) < 0 || ::dup2(output, STDERR_FILENO) < 0)) {
        return;
    }
    if (how.private_files) {
        ::umask(077);
    }
    int wanted[] = {how.input, how.out, how.errors};
    for (int number = 0; number < 3; ++number) { // they are above 2: main has seen to that
        if (wanted[number] >= 0 && ::dup2(wanted[number], number) < 0) {
            return;
        }
    }
    if (!how.folder.empty() && ::chdir(how.folder.c_str()) != 0) {
        return;
    }
    // Our sockets and files are not its own. An old kernel leaves them; what leads to Redis is then closed one by one.
    if (::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */) != 0) {
        for (int descriptor = 3; descriptor < 65536; ++descriptor) {
            ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
        }
    }
    for (int descriptor : how.inherited) {
        ::fcntl(descriptor, F_SETFD, 0);
    }
    ::execve(program, words, environment);
}

} // namespace

child::child(const std::vector<std::string>& words, const options& how) {
    auto arguments = pointers(words);
    auto variables = environment_with(how);
    auto environment = pointers(variables);
    int output = -1;
    if (!how.output.empty()) {
        output = ::open(how.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, how.private_files ? 0600 : 0644);
        if (output < 0) {
            throw std::system_error{errno, std::generic_category(), how.output};
        }
    }
    int failed[2]; // tells us errno when exec fails; closed by a good exec
    if (::pipe2(failed, O_CLOEXEC) != 0) {
        throw std::system_error{errno, std::generic_category(), "pipe"};
    }
    const auto& program = how.program.empty() ? words.front() : how.program;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    auto parent = ::getpid();
    // As posix_spawn does it: fork would copy our page tables, milliseconds each when much is in hand.
    pid_ = ::vfork(); // NOLINT(*-vfork,bugprone-unsafe-functions): become() touches nothing of ours
    if (pid_ == 0) {
        become(program.c_str(), arguments.data(), environment.data(), how, output, parent);
        int reason = errno;
        [[maybe_unused]] auto written = ::write(failed[1], &reason, sizeof reason);
        ::_exit(127);
    }
    int fork_reason = errno;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(failed[1]);
    if (output >= 0) {
        ::close(output);
    }
    int reason = 0;
    ssize_t got = 0;
    while (pid_ > 0 && (got = ::read(failed[0], &reason, sizeof reason)) < 0 && errno == EINTR) {
    }
    ::close(failed[0]);
    if (pid_ < 0 || got == sizeof reason) {
        if (pid_ > 0) {
            ::waitpid(pid_, nullptr, 0);
        }
        throw std::system_error{pid_ < 0 ? fork_reason : reason, std::generic_category(), program};
    }
}

child::child(child&& other) noexcept
    : pid_{std::exchange(other.pid_, -1)}
    , ended_{other.ended_}
    , by_signal_{other.by_signal_} {
}

child& child::operator=(child&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(ended_, other.ended_);
    std::swap(by_signal_, other.by_signal_);
    return *this;
}

child::~child() {
    end();
}

bool child::running() {
    return pid_ > 0 && !wait_for(std::chrono::milliseconds{0});
}

void child::signal(int number) const {
    if (pid_ > 0 && !ended_) {
        ::kill(pid_, number);
    }
}

void child::signal_group(int number) const {
    if (pid_ > 0) {
        ::kill(-pid_, number);
    }
}

std::optional<int> child::wait_for(std::chrono::milliseconds longest) {
    auto until = std::chrono::steady_clock::now() + longest;
    while (pid_ > 0 && !ended_) {
        int status = 0;
        auto seen = ::waitpid(pid_, &status, WNOHANG);
        if (seen == pid_) {
            ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            by_signal_ = !WIFEXITED(status);
        } else if (seen < 0 && errno == ECHILD) {
            ended_ = 127; // somebody else has buried it
        } else if (std::chrono::steady_clock::now() >= until) {
            return std::nullopt;
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds{2});
        }
    }
    return ended_;
}

void child::end(std::chrono::milliseconds grace) {
    if (pid_ <= 0 || ended_) {
        return;
    }
    signal(SIGTERM);
    signal(SIGCONT); // it may be stopped
    if (!wait_for(grace)) {
        signal(SIGKILL);
        wait_for(std::chrono::seconds{10});
    }
}

std::optional<std::string> find_program(const std::vector<std::string>& names) {
    const char* path = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe): one thread
    for (const auto& name : names) {
        std::istringstream folders{path == nullptr ? "/usr/bin:/bin" : path};
        for (std::string folder; std::getline(folders, folder, ':');) {
            auto file = folder + "/" + name;
            if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) {
                return file;
            }
        }
    }
    return std::nullopt;
}

} // namespace leat::runtime
