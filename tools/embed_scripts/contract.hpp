#pragma once

#include <filesystem>
#include <string>
#include <vector>

// A script opens with `#!lua [flags=...]` and a contract, from which its bindings come; its body uses only the names:
//   --- @doc TEXT                      what it does
//   --- @include NAME                  include/NAME.lua goes before the body, once, includes of includes first
//   --- @key NAME TEXT                 one key                 local NAME = KEYS[n]
//   --- @keys NAME TEXT                the rest of the keys    local NAME = {unpack(KEYS, n)}
//   --- @arg whole|text NAME TEXT      one argument            local NAME = tonumber(ARGV[n]) or ARGV[n]
//   --- @args NAME TEXT                the rest of the arguments, as text
//   --- @returns whole NAME TEXT       the whole numbers of the answer, in order
//   --- @returns texts NAME TEXT       the texts of the answer, as one list
// Each script becomes a struct with its keys and arguments, a function that makes the call, and one that reads the
// answer, so that a wrong arity or a forgotten argument does not compile.
namespace embed_scripts {

struct word {
    std::string type;
    std::string name;
    std::string doc;
};

struct script {
    std::string name;
    std::string shebang;
    std::string doc;
    std::vector<std::string> includes;
    std::vector<word> keys, arguments, returns;
    std::string body;
};

script read_script(const std::filesystem::path& file);

// Ends the build, with a place that editors understand.
[[noreturn]] void fail(const std::filesystem::path& file, int line, const std::string& text);

} // namespace embed_scripts
