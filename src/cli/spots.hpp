#pragma once

#include "cli/program.hpp"

#include <set>
#include <string>
#include <utility>

namespace leat::cli {

// Where an inspecting command looks: a server and a namespace, or all of its namespaces when that is empty.
using spot = std::pair<std::string, std::string>;

// What people say about it: a run file, or a server and a namespace.
struct spot_words {
    std::string file;
    std::string name_space;
    std::string redis;
};
void add_spot_options(CLI::App& command, spot_words& words);

// A file with problems leaves its exit code, and no spots.
std::set<spot> spots_of(program& shared, const spot_words& words);

} // namespace leat::cli
