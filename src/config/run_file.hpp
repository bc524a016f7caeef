#pragma once

#include "config/reader.hpp"
#include "config/spec_base.hpp"

namespace leat::config {

struct service_declaration {
    std::string name;
    const spec_base* spec = nullptr;
    value settings; // a map without `kind`; not yet checked, overrides come first
    position where;
};

struct run_file {
    std::vector<service_declaration> services;
};

// The services of a file: either `services: {name: {kind: ..., settings}}`, with an optional `redis:` that is the
// default of every service, or a top-level `kind:`, which makes one service named after the file. Settings are not
// checked here. After an error it holds the services that could be read, so that lint can go on with them.
run_file read_run_file(
    const value& root, const std::string& path, std::span<const spec_base* const> kinds, problems& found);

// The one service of a file whose kind the caller knows. It may say `kind:`, if it says the same.
std::optional<service_declaration> read_props(
    const value& root, const std::string& path, const spec_base& kind, problems& found);

// 1 to 64 letters, digits, `_`, `.` or `-`: safe in keys, logs and CLIENT LIST.
bool is_service_name(std::string_view text);
// The name that a file gives to what it declares: its own, with `-` for what does not fit.
std::string service_name_after(std::string_view path, const std::string& otherwise);

// A setting from a flag or the environment.
struct override_setting {
    std::string name; // `retry.attempts` for one in a group
    std::vector<std::string> texts;
    std::string set_by;       // `--popTimeout`, `POP_TIMEOUT`: the position of the value
    bool as_they_are = false; // the texts of a list are not looked into for commas
};

// Sets it in the map. A list takes several texts; names in one text with commas between are several, too, with a
// warning. A setting in a group switches the group on. `replaced` gets a line for people when a file had set it.
void apply(
    value& map, const spec_base& spec, const override_setting& given, problems& found,
    std::vector<std::string>* replaced = nullptr);

// Sets what variables of the environment set. Of a misspelt name the right one is told, and the right one wins.
void apply_environment(
    value& map, const spec_base& spec, const environment& env, problems& found, std::vector<std::string>* replaced);

} // namespace leat::config
