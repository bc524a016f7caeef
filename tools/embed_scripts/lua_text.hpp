#pragma once

#include "contract.hpp"

namespace embed_scripts {

// The script as Redis gets it: its first line, the bindings of its contract, what it includes, its body.
std::string lua_text(const std::filesystem::path& folder, const script& from);

} // namespace embed_scripts
