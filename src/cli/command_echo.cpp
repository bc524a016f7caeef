#include "cli/load.hpp"
#include "cli/serve.hpp"
#include "config/write.hpp"

#include <iostream>

namespace leat::cli {
namespace {

// A run file again, with every default filled in and every secret masked.
config::value normalised(const std::vector<config::service_declaration>& services) {
    auto all = config::value::of_map();
    for (const auto& each : services) {
        auto one = config::value::of_map();
        one.set("kind", config::value::of_text(each.spec->name()));
        auto settings = each.spec->normalised(each.settings);
        for (const auto& entry : settings.entries()) {
            one.set(entry.key, entry.value);
        }
        all.set(each.name, std::move(one));
    }
    auto root = config::value::of_map();
    root.set("services", std::move(all));
    return root;
}

} // namespace

void add_echo(CLI::App& app, program& shared) {
    struct words {
        std::vector<std::string> files;
        std::string kind;
        bool json = false;
    };
    auto given = std::make_shared<words>();
    auto* command =
        app.add_subcommand("echo", "Print files as they are understood: variables resolved, defaults filled in");
    command->add_option("FILE", given->files, "Files to print")->required();
    command->add_option("--kind", given->kind, "Kind of files that hold only its settings");
    command->add_flag("--json", given->json, "As JSON");
    command->callback([&shared, given] {
        config::problems found;
        auto services = load_files(shared, given->files, given->kind, found);
        std::vector<std::string> replaced;
        override_redis(services, std::nullopt, found, replaced);
        check(shared, services, found);
        print(found);
        if (found.any_errors()) {
            shared.exit = runtime::exit_code::usage;
            return;
        }
        auto root = normalised(services);
        auto text = given->json ? config::to_json(root) : config::to_yaml(root);
        std::cout << text << (text.ends_with('\n') ? "" : "\n");
    });
}

} // namespace leat::cli
