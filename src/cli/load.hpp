#pragma once

#include "cli/program.hpp"
#include "config/run_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

std::vector<std::string> kind_names(const program& shared);

// The services that files declare. `kind` names the kind of files that do not say it. Problems go to `found`; what
// could be read comes back even then.
std::vector<config::service_declaration> load_files(
    const program& shared, const std::vector<std::string>& paths, const std::string& kind, config::problems& found,
    config::value* tests = nullptr); // gets the `tests` of the last file

// Checks the settings of every service, and that no message can go round among those that only move it.
void check(const program& shared, const std::vector<config::service_declaration>& services, config::problems& found);

// By file, line and column.
std::vector<config::problem> in_order(const config::problems& found);

// To standard error, a line each.
void print(const config::problems& found);

} // namespace leat::cli
