#include "base/log.hpp"
#include "base/unicode.hpp"
#include "cli/program.hpp"
#include "config/problem.hpp"

#include <spdlog/fmt/ranges.h>

#include <fcntl.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

namespace {

using namespace leat;

std::vector<std::string> commands_of(const CLI::App& level) {
    std::vector<std::string> names;
    for (const auto* each : level.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(each->get_name());
    }
    return names;
}

std::string question(const std::optional<std::string>& meant) {
    return meant ? "Did you mean " + *meant + "?\n" : "";
}

std::string option_hint(const CLI::App& level, const std::string& word) {
    std::vector<std::string> known;
    for (const auto* each : level.get_options()) {
        known.push_back(each->get_name());
    }
    return question(config::nearest(word, known));
}

// CLI11 says which argument it did not expect; we add what was probably meant, or what there is, where the word stands.
std::string hint_for(const CLI::App& app, const std::vector<std::string>& words) {
    const auto* level = &app;
    for (auto word = words.begin(); word != words.end(); ++word) {
        if (word->starts_with("-") && word->size() > 1) {
            auto name = word->substr(0, word->find('='));
            const auto* option = level->get_option_no_throw(name);
            option = option == nullptr ? app.get_option_no_throw(name) : option;
            if (option == nullptr) {
                return option_hint(*level, name);
            }
            bool value_follows = option->get_items_expected_min() > 0 && name == *word && word + 1 != words.end();
            word += value_follows ? 1 : 0;
            continue;
        }
        auto names = commands_of(*level);
        if (names.empty()) {
            continue; // an argument
        }
        if (std::ranges::find(names, *word) == names.end()) {
            return fmt::format("There is no command {}{}\n", *word, config::did_you_mean_or_all(*word, names));
        }
        level = level->get_subcommand(*word);
    }
    auto names = commands_of(*level);
    return level == &app || names.empty() ? "" : fmt::format("There are {}.\n", fmt::join(names, ", "));
}

// `leat exec --in orders -- ./charge --currency EUR`: what is behind the dashes is the command, word for word. Returns
// how many words are left.
int split_at_dashes(int argc, char** argv, cli::program& shared) {
    const auto* kind = argc > 1 ? runtime::find_kind(shared.kinds, argv[1]) : nullptr;
    const auto* command = kind != nullptr ? kind->spec->find("command") : nullptr;
    for (int i = 2; command != nullptr && i < argc; ++i) {
        if (std::string_view{argv[i]} == "--") {
            shared.after_dashes.assign(argv + i + 1, argv + argc);
            return i;
        }
    }
    return argc;
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
    if (argc == 1) {
        std::cout << app.help();
        return static_cast<int>(runtime::exit_code::usage);
    }
    try {
        app.parse(split_at_dashes(argc, argv, shared), argv);
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
