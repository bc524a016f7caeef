#pragma once

#include "contract.hpp"

#include <map>

namespace embed_scripts {

// The structs and enums that scripts share, by their names.
using shared_types = std::map<std::string, std::string>;
// Adds those of a script; two of one name must be alike.
void add_types(const std::filesystem::path& file, const script& from, shared_types& types);

// The types of a script and its functions, for the header; and their definitions, with the script's text in them.
std::string declare(const script& from);
std::string define(const script& from, const std::string& lua);

} // namespace embed_scripts
