#pragma once

#include "cli/program.hpp"

#include <set>
#include <string>
#include <utility>

namespace leat::cli {

// Where an inspecting command looks: a server and a namespace, or all of its namespaces when that is empty.
using target = std::pair<std::string, std::string>;

// What people say about it: a run file, or a server and a namespace.
struct target_words {
    std::string file;
    std::string name_space;
    std::string redis;
};
void add_target_options(CLI::App& command, target_words& words);

// A file with problems leaves its exit code, and no targets.
std::set<target> targets_of(program& shared, const target_words& words);

} // namespace leat::cli
