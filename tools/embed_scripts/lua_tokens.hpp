#pragma once

#include <string>
#include <vector>

namespace embed_scripts {

// A word of Lua. Comments are none; `line` and `spaced` tell what stood before it, so that the text stays readable.
struct lua_token {
    enum class kind { name, keyword, literal, sign, end };
    kind is = kind::end;
    std::string text;
    int line = 0;
    bool spaced = false;
};

// Throws std::runtime_error of `LINE: WHAT`.
std::vector<lua_token> lua_tokens(const std::string& text);
std::string lua_from(const std::vector<lua_token>& tokens);

} // namespace embed_scripts
