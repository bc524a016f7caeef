#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace leat::cli {

// The command line as data, for what is made of it: shell completion and the man page.
struct option_words {
    std::vector<std::string> names; // --count, -n
    std::string value;              // what stands after it; empty: nothing does
    std::vector<std::string> choices;
    std::string doc;
    bool file = false; // its value is a file
};
struct command_words {
    std::vector<std::string> path; // queue, ls
    std::string doc;
    std::string footer;
    std::vector<option_words> options;
    std::vector<option_words> arguments; // QUEUE; the name alone
    std::vector<std::string> commands;   // below it
};

// Every command, each after the one that it is below; the first is leat itself.
std::vector<command_words> all_commands(const CLI::App& app);

} // namespace leat::cli
