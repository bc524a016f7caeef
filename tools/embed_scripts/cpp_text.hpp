#pragma once

#include "contract.hpp"

namespace embed_scripts {

// The types of a script and its functions, for the header; and their definitions, with the script's text in them.
std::string declare(const script& from);
std::string define(const script& from, const std::string& lua);

} // namespace embed_scripts
