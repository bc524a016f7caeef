#pragma once

#include "routing/processor_type.hpp"
#include "runtime/exit_code.hpp"
#include "runtime/kind.hpp"

#include <CLI/CLI.hpp>

namespace leat::cli {

// All that can be run, and all that routes are made of: what each room offers.
const routing::processor_table& all_processors();
runtime::kind_table all_kinds();

// What the commands share: the table of kinds, and the exit code that the chosen command leaves.
struct program {
    runtime::kind_table kinds;
    std::vector<const config::spec_base*> specs;
    std::vector<std::string> after_dashes; // the words behind ` -- `: the command of `leat exec`
    runtime::exit_code exit = runtime::exit_code::asked;
};

// Each adds a command to the command line; its work is done when it is chosen.
void add_kind_commands(CLI::App& app, program& shared); // leat mpush ...
void add_run(CLI::App& app, program& shared);
void add_lint(CLI::App& app, program& shared);
void add_echo(CLI::App& app, program& shared);
void add_kinds(CLI::App& app, program& shared);
void add_docs(CLI::App& app, program& shared);
void add_schema(CLI::App& app, program& shared);
void add_ps(CLI::App& app, program& shared);
void add_stop(CLI::App& app, program& shared);
void add_metrics(CLI::App& app, program& shared);
void add_queue(CLI::App& app, program& shared);
void add_message(CLI::App& app, program& shared);
void add_inspect(CLI::App& app, program& shared);
void add_top(CLI::App& app, program& shared);
void add_completion(CLI::App& app, program& shared);
void add_man(CLI::App& app, program& shared);
void add_test(CLI::App& app, program& shared);
void add_create(CLI::App& app, program& shared);
void add_demo(CLI::App& app, program& shared);

} // namespace leat::cli
