#include "cli/visit.hpp"

#include "base/log.hpp"
#include "base/task_group.hpp"

#include <boost/asio/io_context.hpp>

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <stdexcept>

namespace leat::cli {
namespace {

boost::asio::awaitable<void> connect_and(
    redis::link& server, const std::function<boost::asio::awaitable<void>(redis::link&)>& work, std::string& trouble) {
    auto latest = std::chrono::steady_clock::now() + std::chrono::seconds{5};
    // A server that loads its data, or is elected, is worth waiting for; a name or port where nobody is, is not.
    auto is_passing = [&server](const std::string& why) {
        return why.empty() || !server.server().sentinels.empty() || why.starts_with("LOADING") ||
               why.starts_with("MASTERDOWN");
    };
    while (!server.connected() && !server.refused() && is_passing(server.trouble()) &&
           std::chrono::steady_clock::now() < latest) {
        co_await server.changed().wait_for(std::chrono::milliseconds{100});
    }
    if (server.connected()) {
        try {
            co_await work(server);
        } catch (const std::exception& reason) {
            trouble = reason.what();
        }
    } else {
        auto why = server.refused()            ? server.refused()->text
                   : !server.trouble().empty() ? server.trouble()
                                               : "no answer within 5 s";
        trouble = "cannot reach " + server.server().shown + ": " + why;
    }
    server.stop();
}

} // namespace

void visit(const std::string& url, const std::function<boost::asio::awaitable<void>(redis::link&)>& work) {
    boost::asio::io_context loop{1};
    auto log = base::create_log("leat");
    log->set_level(spdlog::level::off); // the sentence that is thrown says it
    redis::link_options options;
    options.server = redis::parse_url(url).value();
    options.client_name = "leat:cli:" + std::to_string(::getpid());
    options.log = log;
    auto server = redis::create_link(loop.get_executor(), std::move(options));
    base::task_group tasks{loop.get_executor(), log};
    std::string trouble;
    tasks.spawn("link", server->run());
    tasks.spawn("work", connect_and(*server, work, trouble));
    loop.run();
    if (!trouble.empty()) {
        throw std::runtime_error{trouble};
    }
}

std::string server_for(const std::string& flag) {
    const char* from_environment = std::getenv("REDIS_URL"); // NOLINT(concurrency-mt-unsafe): one thread
    auto url = !flag.empty()                                              ? flag
               : from_environment != nullptr && *from_environment != '\0' ? std::string{from_environment}
                                                                          : "redis://localhost:6379/0";
    if (auto complaint = redis::check_url(url)) {
        throw CLI::ValidationError{flag.empty() ? "REDIS_URL" : "--redis", *complaint};
    }
    return url;
}

} // namespace leat::cli
