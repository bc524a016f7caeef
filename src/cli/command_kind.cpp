#include "cli/serve.hpp"
#include "config/write.hpp"

#include <spdlog/fmt/ranges.h>

#include <cstdlib>
#include <map>

namespace leat::cli {
namespace {

// The words of one `leat KIND` command line.
struct kind_words {
    std::string file;
    std::string name;
    server_choice server;
    std::map<std::string, std::vector<std::string>> settings; // by setting, as given by flags
};

std::string type_of(const config::field_info& field) {
    using type = config::field_type;
    if (!field.choices.empty()) {
        return fmt::format("{}", fmt::join(field.choices, "|"));
    }
    switch (field.type) {
    case type::whole:
    case type::number:
        return config::is_duration(field) ? "DURATION" : "NUMBER";
    case type::boolean:
    case type::group: // what it holds has flags of its own
        return "true|false";
    case type::text_list: // again and again, which CLI11 shows by dots
    case type::text:
    case type::any:
        break;
    }
    return "TEXT";
}

// What it does, its default and its bounds, with their unit.
std::string described(const config::field_info& field) {
    std::vector<std::string> facts;
    auto unit = field.unit.empty() ? "" : " " + field.unit;
    auto usual = config::masked(field, field.default_value);
    if (field.required) {
        facts.emplace_back("required");
    } else if (!usual.is_null() && field.type != config::field_type::group) {
        facts.push_back("default " + config::to_json(usual, 0) + unit);
    }
    if (auto bounds = config::bounds(field); !bounds.empty()) {
        facts.push_back(std::move(bounds));
    }
    return facts.empty() ? field.doc : fmt::format("{} [{}]", field.doc, fmt::join(facts, "; "));
}

std::vector<config::service_declaration> load(
    const program& shared, const config::spec_base& spec, const kind_words& words, const std::string& file,
    config::problems& found, std::vector<std::string>& replaced) {
    std::vector<config::service_declaration> services;
    if (file.empty()) {
        services.push_back({spec.name(), &spec, config::value::of_map({}, {.file = "leat " + spec.name()}), {}});
    } else {
        services = load_files(shared, {file}, spec.name(), found);
    }
    for (auto& each : services) {
        config::apply_environment(each.settings, spec, config::process_environment(), found, &replaced);
        for (const auto& [setting, texts] : words.settings) {
            if (!texts.empty()) {
                config::apply(each.settings, spec, {setting, texts, "--" + setting}, found, &replaced);
            }
        }
        if (!shared.after_dashes.empty()) {
            config::apply(each.settings, spec, {"command", shared.after_dashes, "--", true}, found, &replaced);
        }
        if (!words.name.empty()) {
            each.name = words.name;
            if (!config::is_service_name(words.name)) {
                found.error({.file = "--name"}, "the name of a service has 1 to 64 letters, digits, `_`, `.` or `-`");
            }
        }
    }
    return services;
}

void serve_kind(program& shared, const config::spec_base& spec, const kind_words& words) {
    const char* props_file = std::getenv("propsFile"); // NOLINT(concurrency-mt-unsafe): before any thread
    auto file = words.file.empty() && props_file != nullptr ? std::string{props_file} : words.file;
    auto server = words.server;
    if (!file.empty()) {
        server.files = {file};
    }
    auto read = [&](config::problems& found, std::vector<std::string>& replaced) {
        return load(shared, spec, words, file, found, replaced);
    };
    auto process = !words.name.empty() ? words.name : config::service_name_after(file, spec.name());
    shared.exit = serve(shared, process, read, server);
}

} // namespace

void add_kind_commands(CLI::App& app, program& shared) {
    for (const auto* spec : shared.specs) {
        auto* command = app.add_subcommand(spec->name(), spec->summary())->group("Kinds");
        auto words = std::make_shared<kind_words>();
        command->footer(
            "Every setting may stand in FILE or be a flag; a flag wins. See leat docs " + spec->name() + ".");
        command->add_option("FILE", words->file, "Settings: .yaml, .json or .js; also the environment's propsFile");
        command->add_option("--name", words->name, "Name of this service, in logs and in CLIENT LIST");
        add_embedded_option(*command, words->server);
        add_watch_option(*command, words->server);
        for (const auto* field : spec->all_fields()) {
            if (field->name == "redis") {
                command->add_option("--redis", words->server.redis, field->doc + " Also the environment's REDIS_URL")
                    ->type_name("URL");
                continue;
            }
            if (field->type == config::field_type::any) {
                continue; // no word can hold it
            }
            auto* option = command->add_option("--" + field->name, words->settings[field->name], described(*field));
            option->group("Settings")->type_name(type_of(*field))->allow_extra_args(false);
            if (field->type != config::field_type::text_list) { // given twice it is refused where all problems are told
                option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
            }
        }
        command->callback([&shared, spec, words] { serve_kind(shared, *spec, *words); });
    }
}

} // namespace leat::cli
