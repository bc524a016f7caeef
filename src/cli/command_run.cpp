#include "cli/serve.hpp"

namespace leat::cli {

void add_run(CLI::App& app, program& shared) {
    struct words {
        std::vector<std::string> files;
        server_choice server;
    };
    auto given = std::make_shared<words>();
    auto* command = app.add_subcommand("run", "Run every service of the files in one process");
    command->add_option("FILE", given->files, "Run files: services: {name: {kind: ..., settings}}")->required();
    command->add_option("--redis", given->server.redis, "Server for every service, over the files; also REDIS_URL")
        ->type_name("URL");
    add_embedded_option(*command, given->server);
    add_watch_option(*command, given->server);
    given->server.start_anew = true;
    command->callback([&shared, given] {
        given->server.files = given->files;
        auto load = [&](config::problems& found, std::vector<std::string>& replaced) {
            auto services = load_files(shared, given->files, "", found);
            for (auto& each : services) {
                config::apply_environment(each.settings, *each.spec, config::process_environment(), found, &replaced);
            }
            return services;
        };
        auto process = config::service_name_after(given->files.front(), "run");
        shared.exit = serve(shared, process, load, given->server);
    });
}

} // namespace leat::cli
