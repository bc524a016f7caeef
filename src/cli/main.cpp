#include "base/log.hpp"
#include "base/unicode.hpp"
#include "cli/program.hpp"
#include "config/problem.hpp"

#include <fcntl.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

namespace {

using namespace leat;

// CLI11 says which argument it did not expect; we add the word that was probably meant.
std::string hint_for(const CLI::App& app, const std::vector<std::string>& words) {
    std::vector<std::string> known;
    const auto* deepest = &app;
    while (!deepest->get_subcommands().empty()) {
        deepest = deepest->get_subcommands().front();
    }
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        known.push_back(command->get_name());
    }
    for (const auto* command : deepest->get_subcommands([](const CLI::App*) { return true; })) {
        known.push_back(command->get_name());
    }
    for (const auto* option : deepest->get_options()) {
        known.push_back(option->get_name());
    }
    for (const auto& word : words) {
        auto name = word.substr(0, word.find('='));
        if (std::ranges::find(known, name) == known.end()) {
            if (auto meant = config::nearest(name, known)) {
                return "Did you mean " + *meant + "?\n";
            }
        }
    }
    return "";
}

int run(int argc, char** argv) {
    CLI::App app{"Leat: reliable messaging on the Redis or Valkey that you already run.", "leat"};
    cli::program shared;
    shared.kinds = cli::all_kinds();
    shared.specs = runtime::specs_of(shared.kinds);
    app.set_version_flag("--version", "leat " LEAT_VERSION);
    app.require_subcommand(1);
    app.fallthrough();
    std::string level;
    const char* original = std::getenv("loggerLevel"); // NOLINT(concurrency-mt-unsafe): before any thread
    level = original == nullptr ? "info" : original;
    app.add_option("--log-level", level, "trace, debug, info, warn, error or off; also the environment's loggerLevel")
        ->type_name("trace|debug|info|warn|error|off")
        ->capture_default_str();
    app.parse_complete_callback([&level] {
        if (!base::set_log_level(level)) {
            throw CLI::ValidationError{
                "--log-level", "`" + level + "` is none of trace, debug, info, warn, error, off"};
        }
    });
    cli::add_kind_commands(app, shared);
    cli::add_run(app, shared);
    cli::add_lint(app, shared);
    cli::add_echo(app, shared);
    cli::add_kinds(app, shared);
    cli::add_docs(app, shared);
    cli::add_schema(app, shared);
    cli::add_ps(app, shared);
    cli::add_stop(app, shared);
    cli::add_metrics(app, shared);
    cli::add_queue(app, shared);
    cli::add_message(app, shared);
    cli::add_inspect(app, shared);
    cli::add_top(app, shared);
    cli::add_completion(app, shared);
    cli::add_man(app, shared);
    cli::add_test(app, shared);
    cli::add_create(app, shared);
    cli::add_demo(app, shared);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& refused) {
        if (refused.get_exit_code() == 0) { // --help, --version
            return app.exit(refused);
        }
        std::cerr << "leat: " << base::printable_lines(refused.what()) << "\n"
                  << hint_for(app, {argv + 1, argv + argc}) << "Try leat --help, or leat COMMAND --help.\n";
        return static_cast<int>(runtime::exit_code::usage);
    }
    if (!std::cout.flush()) {
        std::cerr << "leat: standard output cannot be written\n";
        return static_cast<int>(runtime::exit_code::failed);
    }
    return static_cast<int>(shared.exit);
}

} // namespace

int main(int argc, char** argv) {
    for (int descriptor = 0; descriptor <= 2; ++descriptor) { // closed ones would be given to sockets, and logged into
        if (::fcntl(descriptor, F_GETFD) < 0) {
            ::open("/dev/null", O_RDWR);
        }
    }
    std::signal(SIGCHLD, SIG_DFL); // who ignored it before us would bury our children unseen
    try {
        return run(argc, argv);
    } catch (const std::exception& reason) {
        std::cerr << "leat: " << base::printable_lines(reason.what()) << "\n"; // it may be what a server says
        return static_cast<int>(runtime::exit_code::failed);
    }
}
