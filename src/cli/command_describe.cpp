// kinds, docs, schema: what exists, from the same specs that parse it.
#include "cli/load.hpp"
#include "cli/program.hpp"
#include "config/problem.hpp"
#include "config/reference.hpp"
#include "config/write.hpp"

#include <iostream>

namespace leat::cli {
namespace {

const config::spec_base& find_spec(const program& shared, const std::string& name) {
    if (const auto* found = runtime::find_kind(shared.kinds, name)) {
        return *found->spec;
    }
    throw CLI::ValidationError{"KIND", "there is no kind " + name + config::did_you_mean(name, kind_names(shared))};
}

void print_kinds(const program& shared, bool json) {
    std::vector<config::value> rows;
    for (const auto* spec : shared.specs) {
        auto row = config::value::of_map();
        row.set("kind", config::value::of_text(spec->name()));
        row.set("summary", config::value::of_text(spec->summary()));
        row.set("settings", config::value::of_texts(spec->setting_names()));
        rows.push_back(std::move(row));
        if (!json) {
            std::cout << fmt::format("{:<12}{}\n", spec->name(), spec->summary());
        }
    }
    if (json) {
        std::cout << config::to_json(config::value::of_list(std::move(rows))) << "\n";
    }
}

} // namespace

void add_kinds(CLI::App& app, program& shared) {
    auto json = std::make_shared<bool>(false);
    auto* command = app.add_subcommand("kinds", "List the kinds of services");
    command->add_flag("--json", *json, "As JSON, with the names of their settings");
    command->callback([&shared, json] { print_kinds(shared, *json); });
}

void add_docs(CLI::App& app, program& shared) {
    auto name = std::make_shared<std::string>();
    auto* command = app.add_subcommand("docs", "Print the reference page of a kind, in Markdown");
    command->add_option("KIND", *name, "As listed by leat kinds")->required();
    command->callback([&shared, name] { std::cout << config::reference_page(find_spec(shared, *name)); });
}

void add_schema(CLI::App& app, program& shared) {
    auto name = std::make_shared<std::string>();
    auto* command = app.add_subcommand("schema", "Print the JSON Schema of run files, or of one kind's settings");
    command->add_option("KIND", *name, "As listed by leat kinds");
    command->callback([&shared, name] {
        auto text = name->empty() ? config::json_schema(shared.specs) : config::json_schema(find_spec(shared, *name));
        std::cout << text << (text.ends_with('\n') ? "" : "\n");
    });
}

} // namespace leat::cli
