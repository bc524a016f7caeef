#pragma once

#include "cli/load.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

// How `leat KIND` and `leat run` find their server: --redis URL or REDIS_URL over the file, or one of their own.
struct server_choice {
    std::optional<std::string> redis;
    std::optional<std::string> embedded; // the folder
    bool start_anew = false;             // leat run keeps its services up
    bool watch = false;                  // the files: read them anew when they change
    std::vector<std::string> files;
};

// The server that is named beside the file: by --redis, else by the environment's REDIS_URL.
void override_redis(
    std::vector<config::service_declaration>& services, const std::optional<std::string>& flag, config::problems& found,
    std::vector<std::string>& replaced);

void add_embedded_option(CLI::App& command, server_choice& chosen);
void add_watch_option(CLI::App& command, server_choice& chosen);

// Reads the files, and what flags put over them; called again for each reload.
using load_services = std::function<std::vector<config::service_declaration>(
    config::problems& found, std::vector<std::string>& replaced)>;

// Applies the choice, checks everything, and runs until all have ended. Problems end it with exit code 2 before
// anything is touched.
runtime::exit_code serve(
    const program& shared, const std::string& process, const load_services& load, const server_choice& chosen);

} // namespace leat::cli
