#pragma once

#include "lua_tokens.hpp"

#include <string>
#include <vector>

namespace embed_scripts {

// What stands where in a Lua text, by the places of its tokens: as much as it takes to move functions safely.
struct lua_tree {
    static constexpr int global = -1;
    static constexpr int no_variable = -2; // a field, a keyword, a sign

    struct local {
        std::string name;
        int declared = 0;     // place of the name
        int from = 0, to = 0; // where it is visible
        std::vector<int> uses;
        bool assigned = false; // after its declaration
        int function = -1;     // that it is the name of, by `local function`
    };
    struct block {
        int from = 0, to = 0;
        int parent = -1;
        int function = 0;
        bool loops = false; // runs any number of times while its parent runs once
    };
    struct statement {
        int from = 0, to = 0;
        int block = 0;
    };
    struct function {
        int from = 0, to = 0;        // of its statement, or of its expression
        int body = 0;                // block
        std::vector<int> parameters; // locals
        bool varies = false;         // takes `...`
        std::vector<int> returns;    // statements of its own, not those of functions in it
    };

    std::vector<lua_token> tokens;
    std::vector<int> meaning; // of each token: a local, or one of the above
    std::vector<local> locals;
    std::vector<block> blocks;         // 0 is the whole text
    std::vector<statement> statements; // outer before inner
    std::vector<function> functions;   // 0 is the whole text

    // What a name means at a place: a local, or `global`.
    int resolve(const std::string& name, int at) const;
    // The statement that begins at a place and is the innermost; -1: none begins there.
    int statement_at(int from) const;
    bool is(int at, const char* text) const { return tokens[static_cast<std::size_t>(at)].text == text; }
};

// Throws std::runtime_error of `LINE: WHAT`.
lua_tree read_lua(std::vector<lua_token> tokens);

} // namespace embed_scripts
