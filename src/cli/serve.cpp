#include "cli/serve.hpp"

#include "base/log.hpp"
#include "runtime/embedded_server.hpp"
#include "runtime/supervisor.hpp"

#include <csignal>
#include <cstdlib>
#include <thread>

namespace leat::cli {
namespace {

void set_redis(
    std::vector<config::service_declaration>& services, const std::string& url, const std::string& set_by,
    config::problems& found, std::vector<std::string>& replaced) {
    for (auto& each : services) {
        if (each.spec->find("redis") != nullptr) {
            config::apply(each.settings, *each.spec, {"redis", {url}, set_by}, found, &replaced);
        }
    }
}

// Asio waits for a name that is still being looked up, which may take the resolver a long time; we have nothing left to
// do.
void end_soon(runtime::exit_code code) {
    std::thread{[code] {
        std::this_thread::sleep_for(std::chrono::seconds{1});
        std::_Exit(static_cast<int>(code));
    }}.detach();
}

} // namespace

void override_redis(
    std::vector<config::service_declaration>& services, const std::optional<std::string>& flag, config::problems& found,
    std::vector<std::string>& replaced) {
    const char* from_environment = std::getenv("REDIS_URL"); // NOLINT(concurrency-mt-unsafe): before any thread
    if (flag) {
        set_redis(services, *flag, "--redis", found, replaced);
    } else if (from_environment != nullptr && *from_environment != '\0') {
        set_redis(services, from_environment, "REDIS_URL", found, replaced);
    }
}

void add_embedded_option(CLI::App& command, server_choice& chosen) {
    command
        .add_option_function<std::vector<std::string>>(
            "--embedded",
            [&chosen](const std::vector<std::string>& given) {
                chosen.embedded = given.empty() || given.front().empty() ? "leat-data" : given.front();
            },
            "Start a private redis-server or valkey-server with an append-only file in DIR (default: leat-data)")
        ->type_name("[DIR]")
        ->expected(0, 1);
}

void add_watch_option(CLI::App& command, server_choice& chosen) {
    command.add_flag(
        "--watch", chosen.watch,
        "Read the files again when they change, as SIGHUP does; a bad configuration is reported, and the old one stays "
        "in use");
}

runtime::exit_code serve(
    const program& shared, const std::string& process, const load_services& load, const server_choice& chosen) {
    if (!chosen.files.empty()) {
        std::signal(SIGHUP, SIG_IGN); // until we can reload: an early one must not end us
    }
    config::problems found;
    std::vector<std::string> replaced;
    auto services = load(found, replaced);
    if (chosen.redis && chosen.embedded) {
        found.error({.file = "--embedded"}, "--redis names another server; give one of the two");
    } else if (!chosen.embedded) {
        override_redis(services, chosen.redis, found, replaced);
    }
    check(shared, services, found);
    print(found);
    if (found.any_errors()) {
        return runtime::exit_code::usage;
    }
    std::signal(SIGPIPE, SIG_IGN); // a log reader that goes away must not end a service
    auto log = base::create_log("leat");
    std::optional<runtime::embedded_server> embedded;
    if (chosen.embedded) {
        embedded.emplace(runtime::embedded_server::options{.folder = *chosen.embedded, .arguments = {}, .program = {}});
        set_redis(services, embedded->url(), "--embedded", found, replaced);
        check(shared, services, found);
        log->info("embedded server started pid={} url={}", embedded->pid(), embedded->url());
        if (found.any_errors()) {
            print(found);
            return runtime::exit_code::usage;
        }
    }
    for (const auto& line : replaced) {
        log->info("{}", line);
    }
    runtime::supervisor supervisor{process, LEAT_VERSION};
    if (chosen.start_anew) {
        supervisor.start_anew_after_expiry();
    }
    for (const auto& each : services) {
        supervisor.add(*runtime::find_kind(shared.kinds, each.spec->name()), each.name, each.settings);
    }
    if (embedded) {
        supervisor.depend_on([&embedded] { return embedded->running(); });
    }
    auto reread = [&]() -> std::optional<std::vector<runtime::supervisor::reread_service>> {
        config::problems wrong;
        std::vector<std::string> ignored;
        auto fresh = load(wrong, ignored);
        if (embedded) {
            set_redis(fresh, embedded->url(), "--embedded", wrong, ignored);
        } else {
            override_redis(fresh, chosen.redis, wrong, ignored);
        }
        check(shared, fresh, wrong);
        print(wrong);
        std::vector<runtime::supervisor::reread_service> made;
        made.reserve(fresh.size());
        for (auto& each : fresh) {
            made.push_back({runtime::find_kind(shared.kinds, each.spec->name()), each.name, std::move(each.settings)});
        }
        return wrong.any_errors() ? std::nullopt : std::optional{std::move(made)};
    };
    if (!chosen.files.empty()) {
        supervisor.reload_by(reread, chosen.watch ? chosen.files : std::vector<std::string>{});
    }
    auto code = supervisor.run();
    embedded.reset();
    end_soon(code);
    return code;
}

} // namespace leat::cli
