#include "base/process_identity.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

namespace leat::base {
namespace {

// The boot, and the container's own numbering of processes.
std::string here() {
    std::ifstream file{"/proc/sys/kernel/random/boot_id"};
    std::string boot;
    struct stat numbering{};
    if (!(file >> boot) || ::stat("/proc/self/ns/pid", &numbering) != 0) {
        return "";
    }
    return boot + "/" + std::to_string(numbering.st_ino);
}

struct life {
    char state = '?';
    std::string started; // in ticks since the boot
};

std::optional<life> life_of(const std::string& pid) {
    std::ifstream file{"/proc/" + pid + "/stat"};
    std::string line;
    if (!std::getline(file, line) || line.rfind(')') == std::string::npos) {
        return std::nullopt;
    }
    std::istringstream fields{line.substr(line.rfind(')') + 1)}; // the name before it may hold anything
    life found;
    fields >> found.state;
    for (int field = 4; field <= 22; ++field) {
        fields >> found.started;
    }
    return found;
}

} // namespace

std::string process_identity() {
    auto pid = std::to_string(::getpid());
    auto own = life_of(pid);
    auto machine = here();
    return own && !machine.empty() ? machine + "/" + pid + "/" + own->started : "";
}

bool is_gone(std::string_view identity) {
    auto machine = here();
    auto last = identity.rfind('/');
    auto middle = last == std::string_view::npos || last == 0 ? std::string_view::npos : identity.rfind('/', last - 1);
    if (machine.empty() || middle == std::string_view::npos || identity.substr(0, middle) != machine) {
        return false;
    }
    std::string pid{identity.substr(middle + 1, last - middle - 1)};
    if (pid.empty() || pid.find_first_not_of("0123456789") != std::string::npos || !life_of("self")) {
        return false;
    }
    auto found = life_of(pid);
    if (!found) { // /proc may hide the processes of other users
        return ::kill(static_cast<pid_t>(std::atol(pid.c_str())), 0) != 0 && errno == ESRCH;
    }
    return found->state == 'Z' || found->state == 'X' || found->started != identity.substr(last + 1);
}

} // namespace leat::base
