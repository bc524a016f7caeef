#pragma once

#include "base/log.hpp"
#include "base/task_group.hpp"
#include "redis/link.hpp"
#include "redis/listener.hpp"
#include "redis/server.hpp"
#include "redis/url.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace leat::runtime {

// The Redis connections of one process: a listener per server and database, shared by its services, and a link per
// service and server, shared by its parts. Owned by the supervisor, which ends a service's links when it has ended, and
// the rest after the last one.
class connections {
public:
    // `process` names the shared listeners in CLIENT LIST: leat:listener:<process>.
    connections(boost::asio::any_io_executor executor, base::log_ptr log, std::string process);

    // `client_name` says whose it is.
    redis::link& link_of(const redis::url& server, const std::string& client_name, const base::log_ptr& log);
    redis::listener& listener_of(const redis::url& server);
    // What one loop of a service needs of a server, over the service's link and the shared listener; `what` is waited
    // with when a call fails. The second is for loops that only call.
    redis::server server_of(
        const redis::url& server, const std::string& client_name, const base::log_ptr& log, base::stop_signal& stop,
        std::string what = {});
    redis::server called_server_of(
        const redis::url& server, const std::string& client_name, const base::log_ptr& log, base::stop_signal& stop,
        std::string what = {}, redis::server::clock::duration quiet = {});
    // Ends the links of one service, which has ended; if it starts anew it gets new ones.
    void end_links_of(const std::string& client_name);
    // Ends every connection; calls under way fail.
    void drop();
    boost::asio::awaitable<void> close();

private:
    boost::asio::any_io_executor executor_;
    base::log_ptr log_;
    std::string process_;
    base::task_group tasks_;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<redis::link>> links_; // by client name and server
    std::vector<std::unique_ptr<redis::link>> ended_; // their last calls may still be on the way back
    std::map<std::string, std::unique_ptr<redis::listener>> listeners_;
};

} // namespace leat::runtime
