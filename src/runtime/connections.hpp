#pragma once

#include "base/log.hpp"
#include "base/task_group.hpp"
#include "redis/link.hpp"
#include "redis/listener.hpp"
#include "redis/url.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace leat::runtime {

// The Redis connections of one process: a listener per server and database, shared by its services, and the services'
// own links. Owned by the supervisor, which closes it after the last service has ended.
class connections {
public:
    // `process` names the shared listeners in CLIENT LIST: leat:listener:<process>.
    connections(boost::asio::any_io_executor executor, base::log_ptr log, std::string process);

    redis::link& open_link(const redis::url& server, const std::string& client_name, const base::log_ptr& log);
    redis::listener& listener_of(const redis::url& server);
    // Ends every connection; calls under way fail.
    void drop();
    boost::asio::awaitable<void> close();

private:
    boost::asio::any_io_executor executor_;
    base::log_ptr log_;
    std::string process_;
    base::task_group tasks_;
    std::vector<std::unique_ptr<redis::link>> links_;
    std::map<std::string, std::unique_ptr<redis::listener>> listeners_;
};

} // namespace leat::runtime
