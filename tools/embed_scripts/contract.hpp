#pragma once

#include <filesystem>
#include <string>
#include <vector>

// A script opens with `#!lua [flags=...]` and a contract, from which its bindings come; its body uses only the names:
//   --- @doc TEXT                      what it does
//   --- @include NAME                  include/NAME.lua goes before the body, once, includes of includes first
//   --- @block NAME [as TABLE]         the lines of contract/NAME.lua stand here. With a table the script finds their
//   names
//                                      in it, and the call has a member of type NAME
//   --- @object TYPE NAME              keys and arguments may come from this, a class of keys.hpp
//   --- @key NAME TEXT                 one key                 local NAME = KEYS[n]
//   --- @keys NAME TEXT                the rest of the keys    local NAME = {unpack(KEYS, n)}
//   --- @arg TYPE NAME TEXT            one argument: text, whole, flag (a bool, also in Lua), or digits (a whole number
//   for
//                                      C++, text for Lua)
//   --- @args NAME TEXT                the rest of the arguments, as text
//   --- @arg_rows ROW NAME (TYPE COLUMN, ...) TEXT        likewise, by rows of a struct ROW
//   --- @returns TYPE NAME TEXT        an element of the answer, in order: text, whole, flag (1 or 0); texts, wholes
//   (lists)
//   --- @outcome ENUM NAME (WORD, ...) TEXT               likewise, one of these words, which C++ reads as an enum
//   --- @rows ROW NAME (TYPE COLUMN, ...) TEXT            likewise, a list of all columns of all rows
// A key or an argument OBJECT.NAME is what that member function of the object gives, OBJECT.NAME(ARGUMENT) with an
// argument of the script. A column may be text, whole, flag (1 or 0, in Lua too), or texts: how many there
// are, then these.
//
// Each script becomes a struct with its keys and arguments, one with its answer, and a function that makes the call, so
// that a wrong arity, a forgotten argument or a wrong position does not compile.
namespace embed_scripts {

struct column {
    std::string type;
    std::string name;
};

struct word {
    std::string tag;             // key, keys, arg, args, arg_rows, returns, outcome, rows
    std::string type;            // whole, text ..., or the name of the struct or enum
    std::string name;            // in the script
    std::string doc;             // for people
    std::string object;          // that gives it
    std::string given;           // argument of the script that the object is asked with
    std::string table;           // of its block
    std::vector<column> columns; // of rows; words of an outcome

    bool is_list() const { return tag == "keys" || tag == "args" || tag == "arg_rows"; }
};

struct object {
    std::string type;
    std::string name;
    std::string table;
};

struct script {
    std::string name;
    std::string shebang;
    std::string doc;
    std::vector<std::string> includes;
    std::vector<object> objects;
    std::vector<column> blocks; // with a table: name of the block, and of the table
    std::vector<word> keys, arguments, returns;
    std::string body;
};

script read_script(const std::filesystem::path& file);

// Ends the build, with a place that editors understand.
[[noreturn]] void fail(const std::filesystem::path& file, int line, const std::string& text);

} // namespace embed_scripts
