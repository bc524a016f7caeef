#pragma once

#include <string>
#include <vector>

namespace embed_scripts {

// Redis makes every function of a script again at each call. So what a script does not use is dropped; a function that
// is one expression, or is called in one place, stands there instead; one that only a branch needs is made in that
// branch; and a local that is a literal becomes it. What a script does, and in which order, stays.
std::string shrink_lua(const std::string& text);

// The names that a text uses and does not declare.
struct free_name {
    std::string name;
    int line = 0;
};
std::vector<free_name> free_names(const std::string& text);

// The names that a text declares outside of all functions and blocks.
std::vector<std::string> declared_names(const std::string& text);

// How many functions a call of this script makes at the most, but for those that functions make.
int count_functions(const std::string& text);

} // namespace embed_scripts
