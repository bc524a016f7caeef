#include "support/private_server.hpp"

#include "base/descriptor.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <stdexcept>

namespace leat::tests {
namespace {

runtime::embedded_server::options options_for(
    const std::string& folder, const std::string& flavour, std::vector<std::string> arguments) {
    runtime::embedded_server::options made;
    made.folder = folder;
    if (flavour == "valkey") {
        made.program = std::getenv("LEAT_VALKEY");
    }
    made.arguments = {"--appendonly", "no", "--enable-debug-command", "yes"};
    made.arguments.insert(made.arguments.end(), arguments.begin(), arguments.end());
    return made;
}

} // namespace

private_server::private_server(const std::string& flavour, std::vector<std::string> arguments)
    : process_{options_for(folder_.path(), flavour, std::move(arguments))} {
}

std::vector<std::string> in_cluster_mode() {
    base::descriptor probe{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket interface of C
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(probe.number, plain, size) != 0 || ::getsockname(probe.number, plain, &size) != 0) {
        throw std::runtime_error{"no free port on 127.0.0.1"};
    }
    auto port = std::to_string(ntohs(address.sin_port));
    return {"--cluster-enabled", "yes", "--bind", "127.0.0.1", "--cluster-port", port};
}

std::vector<std::string> server_flavours() {
    std::vector<std::string> found{"redis"};
    if (std::getenv("LEAT_VALKEY") != nullptr) {
        found.emplace_back("valkey");
    }
    return found;
}

} // namespace leat::tests
