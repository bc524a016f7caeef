#include "lua_modules.hpp"

#include "lua_shrink.hpp"
#include "lua_tree.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace embed_scripts {
namespace {

const std::set<std::string> lent{"redis", "cjson", "unpack", "type",   "tonumber", "tostring", "ipairs", "pairs",
                                 "pcall", "error", "next",   "select", "math",     "string",   "table",  "os"};

std::string text_of(const std::filesystem::path& file) {
    std::ostringstream out;
    out << std::ifstream{file}.rdbuf();
    return out.str();
}

std::filesystem::path path_of(const std::filesystem::path& folder, const std::string& include) {
    return folder / "include" / (include + ".lua");
}

void check_names(
    const std::filesystem::path& folder, const std::filesystem::path& file, const script& from,
    const std::vector<std::string>& own) {
    std::map<std::string, std::string> offered; // what an include declares, and which
    std::set<std::string> needed;
    for (const auto& include : from.includes) {
        for (const auto& name : declared_names(text_of(path_of(folder, include)))) {
            offered.emplace(name, include);
        }
    }
    for (const auto& name : own) {
        if (offered.contains(name)) {
            fail(file, 1, "`" + name + "` is declared here, and by include " + offered[name]);
        }
    }
    for (const auto& [name, line] : free_names(text_of(file))) {
        auto found = offered.find(name);
        if (found != offered.end()) {
            needed.insert(found->second);
        } else if (!lent.contains(name) && std::find(own.begin(), own.end(), name) == own.end()) {
            fail(file, line, "`" + name + "` is declared nowhere: name its include");
        }
    }
    for (const auto& include : from.includes) {
        if (!needed.contains(include)) {
            fail(file, 1, "include " + include + " is not used");
        }
    }
}

void check_include(const std::filesystem::path& file) {
    auto tree = read_lua(lua_tokens(text_of(file)));
    for (const auto& each : tree.statements) {
        if (each.block == 0 && !tree.is(each.from, "local")) {
            fail(
                file, tree.tokens[static_cast<std::size_t>(each.from)].line,
                "an include declares functions and constants only");
        }
    }
}

// No name twice, so that no include hides what another, or the contract, declares.
void check_includes(
    const std::filesystem::path& folder, const script& from, std::set<std::string>& done,
    std::map<std::string, std::string>& declared) {
    for (const auto& include : from.includes) {
        auto file = path_of(folder, include);
        if (!done.insert(include).second || !std::filesystem::exists(file)) {
            continue;
        }
        auto inner = read_script(file);
        check_include(file);
        check_names(folder, file, inner, {});
        for (const auto& name : declared_names(text_of(file))) {
            auto [before, is_new] = declared.emplace(name, include);
            if (!is_new) {
                fail(file, 1, "`" + name + "` is also declared by " + before->second + ", and a script includes both");
            }
        }
        check_includes(folder, inner, done, declared);
    }
}

} // namespace

void check_modules(const std::filesystem::path& folder, const script& from, const std::string& bindings) {
    auto file = folder / (from.name + ".lua");
    std::set<std::string> done;
    std::map<std::string, std::string> declared;
    auto own = declared_names(bindings);
    try {
        for (const auto& name : own) {
            declared.emplace(name, "the contract");
        }
        check_includes(folder, from, done, declared);
        check_names(folder, file, from, own);
    } catch (const std::runtime_error& error) {
        fail(file, 1, std::string{"in it or an include, line "} + error.what());
    }
}

} // namespace embed_scripts
