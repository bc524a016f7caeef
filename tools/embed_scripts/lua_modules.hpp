#pragma once

#include "contract.hpp"

#include <string>

namespace embed_scripts {

// A script, or what it includes, uses the names of Lua, of Redis, of its own contract (`bindings`; an include has
// none), and of the includes that it names itself, each of which it needs. An include declares functions and constants,
// and does nothing else, so that its place does not matter. What breaks this ends the build.
void check_modules(const std::filesystem::path& folder, const script& from, const std::string& bindings);

} // namespace embed_scripts
