#include "cli/load.hpp"
#include "config/write.hpp"

#include <iostream>

namespace leat::cli {
namespace {

struct lint_words {
    std::vector<std::string> files;
    std::string kind;
    bool strict = false;
    bool json = false;
};

config::value as_value(const config::problem& told) {
    auto made = config::value::of_map();
    bool error = told.level == config::severity::error;
    made.set("level", config::value::of_text(error ? "error" : "warning"));
    made.set("file", config::value::of_text(told.where.file));
    made.set("line", config::value::of_whole(told.where.line));
    made.set("column", config::value::of_whole(told.where.column));
    made.set("text", config::value::of_text(told.text));
    return made;
}

void lint(program& shared, const lint_words& words) {
    config::problems found;
    auto services = load_files(shared, words.files, words.kind, found);
    check(shared, services, found);
    if (words.json) {
        std::vector<config::value> list;
        for (const auto& each : in_order(found)) {
            list.push_back(as_value(each));
        }
        std::cout << config::to_json(config::value::of_list(std::move(list))) << "\n";
    } else {
        print(found);
    }
    auto errors = found.error_count();
    auto warnings = found.all().size() - errors;
    if (errors == 0 && !words.json) {
        std::cout << "ok: " << services.size() << (services.size() == 1 ? " service" : " services");
        std::cout << (warnings == 0 ? "" : ", " + std::to_string(warnings) + " warning(s)") << "\n";
    }
    if (errors > 0 || (words.strict && warnings > 0)) {
        shared.exit = runtime::exit_code::usage;
    }
}

} // namespace

void add_lint(CLI::App& app, program& shared) {
    auto words = std::make_shared<lint_words>();
    auto* command = app.add_subcommand("lint", "Check configuration files and tell every problem");
    command->add_option("FILE", words->files, "Files to check")->required();
    command->add_option("--kind", words->kind, "Kind of files that hold only its settings");
    command->add_flag("--strict", words->strict, "Warnings end it with exit code 2, too");
    command->add_flag("--json", words->json, "The problems as a JSON list");
    command->callback([&shared, words] { lint(shared, *words); });
}

} // namespace leat::cli
