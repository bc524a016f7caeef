#include "runtime/embedded_server.hpp"

#include "base/descriptor.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <tuple>

namespace leat::runtime {
namespace {

using std::chrono::steady_clock;
namespace fs = std::filesystem;

enum class state { silent, loading, ready };

state ask(const std::string& path) {
    base::descriptor client{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket interface of C
    if (::connect(client.number, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return state::silent;
    }
    timeval patience{.tv_sec = 1, .tv_usec = 0};
    ::setsockopt(client.number, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    char answer[9] = {};
    if (::send(client.number, "PING\r\n", 6, MSG_NOSIGNAL) != 6 || ::recv(client.number, answer, 8, 0) <= 0) {
        return state::silent;
    }
    std::string_view word{answer};
    if (word.starts_with("-LOADING")) {
        return state::loading;
    }
    return word.starts_with("+PONG") || word.starts_with("-NOAUTH") ? state::ready : state::silent;
}

// Debian keeps the server's binary in redis-tools, under the name of one of its tools; what it does follows from the
// name that it is called by. So the server is there even where the package with the daemon is not.
std::pair<std::string, std::string> find_server() {
    for (const auto* flavour : {"redis", "valkey"}) {
        auto called = std::string{flavour} + "-server";
        if (auto found = find_program({called})) {
            return {*found, called};
        }
    }
    for (const auto* flavour : {"redis", "valkey"}) {
        if (auto found = find_program({std::string{flavour} + "-check-rdb"})) {
            return {*found, std::string{flavour} + "-server"};
        }
    }
    throw std::runtime_error{"an embedded server needs redis-server or valkey-server on PATH; neither was found"};
}

// Whoever can reach the socket or the files has every message; so what we make of the path is for this user alone. What
// is there stays as somebody has made it.
void make_private(const fs::path& folder, std::error_code& bad) {
    if (fs::exists(folder, bad)) {
        return;
    }
    if (auto above = folder.parent_path(); !above.empty() && above != folder) {
        make_private(above, bad);
    }
    bad.clear();
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        bad.assign(errno, std::generic_category());
    }
}

std::string last_lines(const std::string& file) {
    std::ifstream in{file};
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    std::string text;
    for (std::size_t i = lines.size() > 5 ? lines.size() - 5 : 0; i < lines.size(); ++i) {
        text += "\n  " + lines[i];
    }
    return text;
}

} // namespace

embedded_server::embedded_server(options how)
    : how_{std::move(how)} {
    called_ = how_.program;
    if (how_.program.empty()) {
        std::tie(how_.program, called_) = find_server();
    }
    std::error_code bad;
    make_private(how_.folder, bad);
    if (!fs::is_directory(how_.folder)) {
        throw std::runtime_error{"cannot make the folder " + how_.folder + ": " + bad.message()};
    }
    how_.folder = fs::canonical(how_.folder).string();
    if (socket().size() > 107) {
        throw std::runtime_error{"the folder's path is too long for a unix socket (107 bytes with it): " + socket()};
    }
    start();
}

void embedded_server::kill() {
    server_.signal(SIGKILL);
    server_.wait_for(std::chrono::seconds{10});
}

void embedded_server::start() {
    launch();
    auto latest = steady_clock::now() + std::chrono::seconds{30};
    for (auto seen = state::silent; seen != state::ready; seen = ask(socket())) {
        if (seen == state::loading) { // a long append-only file takes its time
            latest = steady_clock::now() + std::chrono::seconds{30};
        }
        if (!server_.running() || steady_clock::now() > latest) {
            throw std::runtime_error{
                how_.program + " did not start in " + how_.folder + ":" + last_lines(how_.folder + "/redis.log")};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
}

void embedded_server::launch() {
    auto lock_file = how_.folder + "/lock";
    base::descriptor lock{::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (lock.number < 0) {
        throw std::runtime_error{"cannot open " + lock_file + ": " + std::generic_category().message(errno)};
    }
    auto latest = steady_clock::now() + std::chrono::seconds{15};
    while (::flock(lock.number, LOCK_EX | LOCK_NB) != 0) {
        if (steady_clock::now() > latest) {
            throw std::runtime_error{"another server still runs in " + how_.folder};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
    auto log = how_.folder + "/redis.log";
    std::vector<std::string> words{called_,     "--port",      "0",  "--unixsocket",     socket(), "--dir",
                                   how_.folder, "--logfile",   log,  "--save",           "",       "--appendonly",
                                   "yes",       "--daemonize", "no", "--set-proc-title", "no",     "--unixsocketperm",
                                   "700"};
    words.insert(words.end(), how_.arguments.begin(), how_.arguments.end());
    child::options with_lock;
    with_lock.program = how_.program;
    with_lock.inherited = {lock.number};
    with_lock.output = log;
    with_lock.private_files = true;
    server_ = child{words, with_lock};
}

} // namespace leat::runtime
