#pragma once

#include "lua_tree.hpp"

#include <vector>

namespace embed_scripts {

// These tokens instead of those from `from` to before `to`.
struct edit {
    int from = 0, to = 0;
    std::vector<lua_token> with;
};
std::vector<lua_token> edited(const lua_tree& tree, std::vector<edit> edits);

// Whether the names that this part does not declare itself mean the same elsewhere.
bool means_the_same(const lua_tree& tree, int from, int to, int elsewhere);

// Calls of a function that is one expression become that expression.
std::vector<edit> inline_expressions(const lua_tree& tree);

// The call of a function that is called in one place only, where it is all of a statement, becomes the function's body.
// `number` tells its locals from all others.
std::vector<edit> inline_once(const lua_tree& tree, int number);

} // namespace embed_scripts
