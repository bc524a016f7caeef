#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace leat::runtime {

// A child process that dies with us, even when we are killed: the kernel sends it `death_signal` then. Spawn from the
// main thread; the kernel ties the promise to the spawning thread. The destructor ends the child and waits for it.
class child {
public:
    struct options {
        int death_signal = 15;
        std::string program;                  // the file to run, when it is not the first word
        std::string output;                   // file for stdout and stderr, appended; empty: ours
        bool private_files = false;           // what it makes, and `output`, is for this user alone
        std::vector<int> inherited;           // descriptors that stay open in the child
        std::vector<std::string> environment; // NAME=value, beside ours
        bool only_environment = false;        // ... or instead of ours
        std::string folder;                   // where it runs; empty: here
        int input = -1;                       // descriptors that become its stdin, stdout and stderr; -1: ours
        int out = -1;
        int errors = -1;
    };

    child() = default;
    // Throws std::system_error when the program cannot be started.
    child(const std::vector<std::string>& words, const options& how);
    child(child&& other) noexcept;
    child& operator=(child&& other) noexcept;
    ~child();

    pid_t pid() const { return pid_; }
    bool running();
    void signal(int number) const;
    // Also to what it has started itself, unless that has left its group.
    void signal_group(int number) const;
    // How it ended: its exit code, or 128 + the signal; nothing when it still runs after that time.
    std::optional<int> wait_for(std::chrono::milliseconds longest);
    bool ended_by_signal() const { return by_signal_; }
    // SIGTERM, then after a grace SIGKILL.
    void end(std::chrono::milliseconds grace = std::chrono::seconds{10});

private:
    pid_t pid_ = -1;
    std::optional<int> ended_;
    bool by_signal_ = false;
};

// The full path of the first of these programs on PATH.
std::optional<std::string> find_program(const std::vector<std::string>& names);

} // namespace leat::runtime
