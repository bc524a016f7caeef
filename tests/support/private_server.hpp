#pragma once

#include "runtime/embedded_server.hpp"
#include "support/client.hpp"
#include "support/temp_folder.hpp"

#include <string>
#include <vector>

namespace leat::tests {

// A server of this test's own, without persistence unless the arguments say so.
class private_server {
public:
    explicit private_server(const std::string& flavour = "redis", std::vector<std::string> arguments = {});

    runtime::embedded_server& process() { return process_; }
    std::string url() const { return process_.url(); }
    std::string folder() const { return folder_.path(); }
    client connect() const { return client{process_.socket()}; }

private:
    temp_folder folder_;
    runtime::embedded_server process_;
};

// Settings for a server in cluster mode, which talks to others of a cluster on a free port of 127.0.0.1.
std::vector<std::string> in_cluster_mode();

// What `private_server` can be: redis, and valkey where LEAT_VALKEY names one.
std::vector<std::string> server_flavours();

} // namespace leat::tests
