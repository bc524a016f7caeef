#include "support/private_server.hpp"

#include <cstdlib>

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

std::vector<std::string> server_flavours() {
    std::vector<std::string> found{"redis"};
    if (std::getenv("LEAT_VALKEY") != nullptr) {
        found.emplace_back("valkey");
    }
    return found;
}

} // namespace leat::tests
