#pragma once

#include "config/problem.hpp"

#include <functional>
#include <iosfwd>

namespace leat::config {

// Looks up a variable for ${VAR}.
using environment = std::function<std::optional<std::string>(std::string_view)>;
environment process_environment();

enum class syntax { yaml, json, js };

// By the extension: .yaml .yml .json .js
std::optional<syntax> syntax_of(std::string_view path);

// No configuration is near these; what is beyond them is a mistake or an attack.
inline constexpr std::size_t most_bytes = std::size_t{1024} * 1024;
inline constexpr std::size_t most_expanded = 16 * most_bytes; // with its aliases and variables
inline constexpr std::size_t most_values = 10'000;
inline constexpr std::size_t most_depth = 64;

// The tree of a file, with ${VAR}, ${VAR:default} and ${{literal}} resolved in its text values (never in keys). Nothing
// when there was an error; an empty YAML file is a null.
std::optional<value> read_file(const std::string& path, const environment& env, problems& found);
// The files of a folder with these extensions, each by its name without it, in order; nothing when there was an error.
std::optional<value> read_folder(const std::string& path, const environment& env, problems& found);
// All of a stream: YAML, JSON, or the literal of a .js.
std::optional<value> read_stream(std::istream& from, std::string name, const environment& env, problems& found);
std::optional<value> read_text(
    std::string_view text, std::string file_name, syntax form, const environment& env, problems& found);

} // namespace leat::config
