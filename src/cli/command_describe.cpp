// kinds, docs, schema: what exists, from the same specs that parse it.
#include "cli/load.hpp"
#include "cli/program.hpp"
#include "config/problem.hpp"
#include "config/reference.hpp"
#include "config/write.hpp"

#include <iostream>

namespace leat::cli {
namespace {

// Of kinds, and of the processors of a router.
std::vector<std::string> names_of_all(const program& shared) {
    auto names = kind_names(shared);
    auto types = all_processors().names();
    names.insert(names.end(), types.begin(), types.end());
    return names;
}

const config::spec_base& find_spec(const program& shared, const std::string& name) {
    if (const auto* found = runtime::find_kind(shared.kinds, name)) {
        return *found->spec;
    }
    if (const auto* found = all_processors().find(name + ".singleton")) {
        return *found->spec;
    }
    throw CLI::ValidationError{"KIND", "there is no kind " + name + config::did_you_mean(name, names_of_all(shared))};
}

void print_kinds(const std::vector<const config::spec_base*>& specs, bool json) {
    std::vector<config::value> rows;
    std::size_t width = 12;
    for (const auto* spec : specs) {
        width = std::max(width, spec->name().size() + 2);
    }
    for (const auto* spec : specs) {
        auto row = config::value::of_map();
        row.set("kind", config::value::of_text(spec->name()));
        row.set("summary", config::value::of_text(spec->summary()));
        row.set("settings", config::value::of_texts(spec->setting_names()));
        rows.push_back(std::move(row));
        if (!json) {
            std::cout << fmt::format("{:<{}}{}\n", spec->name(), width, spec->summary());
        }
    }
    if (json) {
        std::cout << config::to_json(config::value::of_list(std::move(rows))) << "\n";
    }
}

} // namespace

void add_kinds(CLI::App& app, program& shared) {
    auto json = std::make_shared<bool>(false);
    auto processors = std::make_shared<bool>(false);
    auto* command = app.add_subcommand("kinds", "List the kinds of services");
    command->add_flag("--json", *json, "As JSON, with the names of their settings");
    command->add_flag("--processors", *processors, "The types of processors that a router's routes are made of");
    command->callback([&shared, json, processors] {
        std::vector<const config::spec_base*> types;
        for (const auto& each : all_processors()) {
            types.push_back(each.spec);
        }
        print_kinds(*processors ? types : shared.specs, *json);
    });
}

void add_docs(CLI::App& app, program& shared) {
    auto name = std::make_shared<std::string>();
    auto* command = app.add_subcommand("docs", "Print the reference page of a kind, or of a processor, in Markdown");
    command->add_option("KIND", *name, "As listed by leat kinds, with or without --processors")->required();
    command->callback([&shared, name] {
        bool is_kind = runtime::find_kind(shared.kinds, *name) != nullptr;
        auto form = is_kind ? config::example_form::kind : config::example_form::part;
        std::cout << config::reference_page(find_spec(shared, *name), form);
    });
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
