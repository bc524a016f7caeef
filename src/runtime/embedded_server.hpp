#pragma once

#include "redis/url.hpp"
#include "runtime/child.hpp"

#include <string>
#include <vector>

namespace leat::runtime {

// A private redis-server (or valkey-server) as a child of ours, on a unix socket in a folder, with an append-only file
// there. It ends with us. The folder is locked by the server itself, so that a quick restart waits for the old one.
// What is made, folder, files and socket, is for this user alone, whatever the umask; what was there stays as it is.
class embedded_server {
public:
    struct options {
        std::string folder;                 // made when it is not there
        std::vector<std::string> arguments; // further settings for the server, as on its command line
        std::string program;                // empty: redis-server, else valkey-server, from PATH
    };

    // Starts it and waits until it answers. Throws std::runtime_error with a sentence for people.
    explicit embedded_server(options how);
    embedded_server(const embedded_server&) = delete;
    embedded_server& operator=(const embedded_server&) = delete;
    ~embedded_server() = default;

    std::string url() const { return redis::unix_url(socket()); }
    std::string socket() const { return how_.folder + "/redis.sock"; }
    pid_t pid() const { return server_.pid(); }
    bool running() { return server_.running(); }
    void stop() { server_.end(); }
    void kill();   // -9
    void start();  // after stop or kill; waits until it answers
    void launch(); // the same without waiting: it may still load its data

private:
    options how_;
    std::string called_; // the server's own first word
    child server_;
};

} // namespace leat::runtime
