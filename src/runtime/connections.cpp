#include "runtime/connections.hpp"

namespace leat::runtime {
namespace {

// Everything that makes two URLs lead to the same place as the same user.
std::string identity_of(const redis::url& server) {
    auto identity = fmt::format(
        "{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", static_cast<int>(server.via), server.host, server.port, server.path,
        server.db, server.user, server.password, server.ca_file, server.cert_file, server.key_file, server.server_name,
        server.insecure, server.master);
    for (const auto& each : server.sentinels) {
        identity += "|" + each.host + ":" + each.port;
    }
    return identity;
}

} // namespace

connections::connections(boost::asio::any_io_executor executor, base::log_ptr log, std::string process)
    : executor_{std::move(executor)}
    , log_{std::move(log)}
    , process_{std::move(process)}
    , tasks_{executor_, log_} {
}

redis::link& connections::link_of(const redis::url& server, const std::string& client_name, const base::log_ptr& log) {
    auto& found = links_[{client_name, identity_of(server)}];
    if (!found) {
        redis::link_options options;
        options.server = server;
        options.client_name = client_name;
        options.log = log;
        found = redis::create_link(executor_, std::move(options));
        tasks_.spawn("link " + client_name, found->run());
    }
    return *found;
}

void connections::end_links_of(const std::string& client_name) {
    for (auto each = links_.begin(); each != links_.end();) {
        if (each->first.first == client_name) {
            each->second->stop();
            ended_.push_back(std::move(each->second));
            each = links_.erase(each);
        } else {
            ++each;
        }
    }
}

redis::listener& connections::listener_of(const redis::url& server) {
    auto& found = listeners_[identity_of(server)];
    if (!found) {
        redis::link_options options;
        options.server = server;
        options.client_name = "leat:listener:" + process_;
        options.log = log_;
        found = std::make_unique<redis::listener>(executor_, std::move(options));
        tasks_.spawn("listener " + server.shown, found->run());
    }
    return *found;
}

redis::server connections::server_of(
    const redis::url& server, const std::string& client_name, const base::log_ptr& log, base::stop_signal& stop,
    std::string what) {
    return {link_of(server, client_name, log), &listener_of(server), log, stop, std::move(what)};
}

redis::server connections::called_server_of(
    const redis::url& server, const std::string& client_name, const base::log_ptr& log, base::stop_signal& stop,
    std::string what, redis::server::clock::duration quiet) {
    return {link_of(server, client_name, log), nullptr, log, stop, std::move(what), quiet};
}

void connections::drop() {
    for (auto& [whose, link] : links_) {
        link->stop();
    }
    for (auto& [identity, listener] : listeners_) {
        listener->stop();
    }
}

boost::asio::awaitable<void> connections::close() {
    drop();
    co_await tasks_.wait();
}

} // namespace leat::runtime
