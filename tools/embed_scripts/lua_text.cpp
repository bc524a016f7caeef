#include "lua_text.hpp"

#include "lua_modules.hpp"
#include "lua_shrink.hpp"

#include <map>
#include <set>
#include <stdexcept>

namespace embed_scripts {
namespace {

// Depth first, each include once.
void flatten(
    const std::filesystem::path& folder, const script& from, std::set<std::string>& done,
    const std::vector<std::string>& chain, std::string& out) {
    for (const auto& name : from.includes) {
        auto file = folder / "include" / (name + ".lua");
        for (const auto& open : chain) {
            if (open == name) {
                fail(file, 1, "includes itself, through " + from.name);
            }
        }
        if (!std::filesystem::exists(file)) {
            fail(folder / (from.name + ".lua"), 1, "there is no " + file.string());
        }
        if (done.contains(name)) {
            continue;
        }
        auto inner = read_script(file);
        auto longer = chain;
        longer.push_back(name);
        flatten(folder, inner, done, longer, out);
        done.insert(name);
        out += inner.body;
    }
}

// `local NAME = VALUE`, or a member of the table of its block.
void bind(const word& of, const std::string& value, std::map<std::string, std::string>& tables, std::string& out) {
    if (of.table.empty()) {
        out += "local " + of.name + " = " + value + "\n";
    } else {
        auto& members = tables[of.table];
        members += (members.empty() ? "" : ", ") + of.name + " = " + value;
    }
}

std::string bindings(const script& from) {
    std::string out;
    std::map<std::string, std::string> tables;
    int n = 0;
    for (const auto& key : from.keys) {
        auto index = std::to_string(++n);
        bind(key, key.is_list() ? "{unpack(KEYS, " + index + ")}" : "KEYS[" + index + "]", tables, out);
    }
    n = 0;
    for (const auto& argument : from.arguments) {
        auto index = std::to_string(++n);
        auto read = "ARGV[" + index + "]";
        if (argument.type == "whole") {
            read = "tonumber(" + read + ")";
        } else if (argument.type == "flag") {
            read += " == '1'";
        } else if (argument.is_list()) {
            read = "{unpack(ARGV, " + index + ")}";
        }
        bind(argument, read, tables, out);
    }
    for (const auto& [name, members] : tables) {
        out += "local " + name + " = {" + members + "}\n";
    }
    return out;
}

} // namespace

std::string lua_text(const std::filesystem::path& folder, const script& from) {
    std::string includes;
    std::set<std::string> done;
    flatten(folder, from, done, {}, includes);
    auto own = bindings(from);
    check_modules(folder, from, own);
    auto text = includes + own + from.body;
    try {
        return from.shebang + "\n" + shrink_lua(text);
    } catch (const std::runtime_error& error) {
        fail(folder / (from.name + ".lua"), 1, std::string{"with its includes, line "} + error.what());
    }
}

} // namespace embed_scripts
