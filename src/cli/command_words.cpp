#include "cli/command_words.hpp"

#include <algorithm>
#include <sstream>

namespace leat::cli {
namespace {

option_words words_of(const CLI::Option& option) {
    option_words made;
    for (const auto& each : option.get_lnames()) {
        made.names.push_back("--" + each);
    }
    for (const auto& each : option.get_snames()) {
        made.names.push_back("-" + each);
    }
    made.doc = option.get_description();
    if (option.get_type_size() > 0 && option.get_expected_max() > 0) {
        auto type = option.get_type_name();
        type.resize(std::min(type.size(), type.find(':'))); // what a validator says of itself
        made.value = type.empty() ? "VALUE" : type;
    }
    auto kind = made.value;
    if (kind.find('|') != std::string::npos) {
        std::istringstream parts{kind};
        for (std::string part; std::getline(parts, part, '|');) {
            made.choices.push_back(part);
        }
    }
    made.file = kind == "FILE" || kind == "FOLDER";
    return made;
}

void add(const CLI::App& app, const std::vector<std::string>& path, std::vector<command_words>& all) {
    command_words made{
        .path = path,
        .doc = app.get_description(),
        .footer = app.get_footer(),
        .options = {},
        .arguments = {},
        .commands = {}};
    for (const auto* option : app.get_options()) {
        auto words = words_of(*option);
        if (option->get_positional()) {
            words.names = {option->get_name(true)};
            words.file = words.names.front().starts_with("FILE");
            made.arguments.push_back(std::move(words));
        } else {
            made.options.push_back(std::move(words));
        }
    }
    auto below = app.get_subcommands([](const CLI::App*) { return true; });
    for (const auto* each : below) {
        made.commands.push_back(each->get_name());
    }
    all.push_back(std::move(made));
    for (const auto* each : below) {
        auto longer = path;
        longer.push_back(each->get_name());
        add(*each, longer, all);
    }
}

} // namespace

std::vector<command_words> all_commands(const CLI::App& app) {
    std::vector<command_words> all;
    add(app, {}, all);
    return all;
}

} // namespace leat::cli
