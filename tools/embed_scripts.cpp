// Turns a folder of Lua scripts into C++: embed_scripts FOLDER OUT NAMESPACE writes OUT.hpp and OUT.cpp.
//
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
#include <openssl/sha.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

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

[[noreturn]] void fail(const fs::path& file, int line, const std::string& text) {
    std::cerr << file.string() << ":" << line << ":1: error: " << text << "\n";
    std::exit(1);
}

script read_script(const fs::path& file) {
    std::ifstream in{file};
    script made;
    made.name = file.stem().string();
    std::string line;
    int number = 0;
    while (std::getline(in, line)) {
        ++number;
        if (number == 1 && line.starts_with("#!lua")) {
            made.shebang = line;
            continue;
        }
        if (!line.starts_with("--- @")) {
            made.body += line + "\n";
            continue;
        }
        std::istringstream words{line.substr(5)};
        std::string tag;
        word found;
        words >> tag;
        if (tag == "doc") {
            std::getline(words >> std::ws, made.doc);
            continue;
        }
        if (tag == "include") {
            words >> found.name;
            made.includes.push_back(found.name);
            continue;
        }
        if (tag == "arg" || tag == "returns") {
            words >> found.type;
        }
        words >> found.name;
        std::getline(words >> std::ws, found.doc);
        bool typed = found.type == "whole" || (tag == "arg" && found.type == "text") ||
                     (tag == "returns" && found.type == "texts");
        if (found.name.empty()) {
            fail(file, number, "@" + tag + " without a name");
        }
        if (tag == "key" || tag == "keys") {
            found.type = tag;
            made.keys.push_back(found);
        } else if (tag == "args") {
            found.type = tag;
            made.arguments.push_back(found);
        } else if (tag == "arg" && typed) {
            made.arguments.push_back(found);
        } else if (tag == "returns" && typed) {
            made.returns.push_back(found);
        } else {
            fail(file, number, "unknown contract line: " + line);
        }
    }
    if (number == 0) {
        fail(file, 1, "cannot be read, or is empty");
    }
    return made;
}

// Depth first, each include once.
void flatten(
    const fs::path& folder, const script& from, std::set<std::string>& done, const std::vector<std::string>& chain,
    std::string& out) {
    for (const auto& name : from.includes) {
        auto file = folder / "include" / (name + ".lua");
        for (const auto& open : chain) {
            if (open == name) {
                fail(file, 1, "includes itself, through " + from.name);
            }
        }
        if (!fs::exists(file)) {
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

std::string bindings(const script& from) {
    std::string out;
    int n = 0;
    for (const auto& key : from.keys) {
        auto index = std::to_string(++n);
        out += "local " + key.name + " = " +
               (key.type == "keys" ? "{unpack(KEYS, " + index + ")}" : "KEYS[" + index + "]") + "\n";
    }
    n = 0;
    for (const auto& argument : from.arguments) {
        auto index = std::to_string(++n);
        auto read = "ARGV[" + index + "]";
        if (argument.type == "whole") {
            read = "tonumber(" + read + ")";
        } else if (argument.type == "args") {
            read = "{unpack(ARGV, " + index + ")}";
        }
        out += "local " + argument.name + " = " + read + "\n";
    }
    return out;
}

std::string sha1_of(const std::string& text) {
    std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
    // SHA1 is what EVALSHA names scripts by; nothing here depends on its strength.
    SHA1(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    std::string hex;
    for (auto byte : digest) {
        constexpr std::string_view digits = "0123456789abcdef";
        hex += digits[byte >> 4];
        hex += digits[byte & 15];
    }
    return hex;
}

std::string cpp_type(const word& of) {
    if (of.type == "whole") {
        return "std::int64_t";
    }
    return of.type == "keys" || of.type == "args" || of.type == "texts" ? "std::vector<std::string>" : "std::string";
}

std::string members(const std::vector<word>& words) {
    std::string out;
    for (const auto& each : words) {
        out += "    " + cpp_type(each) + " " + each.name + (each.type == "whole" ? " = 0" : "") + "; // " + each.doc +
               "\n";
    }
    return out;
}

std::string declare(const script& from) {
    auto call = from.name + "_call";
    auto outcome = from.name + "_outcome";
    return "\n// " + from.doc + "\nstruct " + call + " {\n" + members(from.keys) + members(from.arguments) +
           "};\nstruct " + outcome + " {\n" + members(from.returns) + "};\nextern const redis::script " + from.name +
           "_script;\nredis::script_call make_call(" + call +
           " given);\nvoid read_answer(const redis::reply& answer, " + outcome + "& outcome);\n";
}

std::string define(const script& from, const std::string& text) {
    std::string out = "\nconst redis::script " + from.name + "_script{\"" + from.name + "\", \"" + sha1_of(text) +
                      "\", R\"lua(" + text + ")lua\"};\n\nredis::script_call make_call(" + from.name +
                      "_call given) {\n    redis::script_call made{&" + from.name + "_script, {}, {}};\n";
    for (const auto& key : from.keys) {
        out += key.type == "keys" ? "    for (auto& each : given." + key.name +
                                        ") {\n        made.keys.push_back(std::move(each));\n    }\n"
                                  : "    made.keys.push_back(std::move(given." + key.name + "));\n";
    }
    for (const auto& argument : from.arguments) {
        if (argument.type == "args") {
            out += "    for (auto& each : given." + argument.name +
                   ") {\n        made.arguments.push_back(std::move(each));\n    }\n";
        } else if (argument.type == "whole") {
            out += "    made.arguments.push_back(std::to_string(given." + argument.name + "));\n";
        } else {
            out += "    made.arguments.push_back(std::move(given." + argument.name + "));\n";
        }
    }
    out += "    return made;\n}\n\nvoid read_answer([[maybe_unused]] const redis::reply& answer, [[maybe_unused]] " +
           from.name + "_outcome& outcome) {\n    auto wholes = answer.wholes();\n";
    int n = 0;
    for (const auto& each : from.returns) {
        if (each.type == "whole") {
            auto index = std::to_string(n++);
            out += "    outcome." + each.name + " = wholes.size() > " + index + " ? wholes[" + index + "] : 0;\n";
        } else {
            out += "    for (auto text : answer.texts()) {\n        outcome." + each.name +
                   ".emplace_back(text);\n    }\n";
        }
    }
    return out + "}\n";
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: embed_scripts FOLDER OUT NAMESPACE\n";
        return 2;
    }
    fs::path folder{argv[1]};
    fs::path out{argv[2]};
    std::string space{argv[3]};
    fs::create_directories(out.parent_path());
    std::map<std::string, script> scripts; // by name, so that the output does not depend on the folder's order
    for (const auto& entry : fs::directory_iterator{folder}) {
        if (entry.path().extension() == ".lua") {
            auto read = read_script(entry.path());
            if (read.shebang.empty() || read.doc.empty()) {
                fail(entry.path(), 1, "a script opens with #!lua and has a --- @doc");
            }
            scripts.emplace(read.name, std::move(read));
        }
    }
    std::string header = "// Made from " + folder.filename().string() +
                         "/*.lua by tools/embed_scripts.cpp.\n#pragma once\n\n#include \"redis/script.hpp\"\n\n"
                         "#include <cstdint>\n#include <string>\n#include <vector>\n\nnamespace " +
                         space + " {\n";
    std::string source =
        "#include \"" + out.parent_path().filename().string() + "/scripts.hpp\"\n\nnamespace " + space + " {\n";
    for (const auto& [name, each] : scripts) {
        std::string text = each.shebang + "\n" + bindings(each);
        std::set<std::string> done;
        flatten(folder, each, done, {}, text);
        text += each.body;
        header += declare(each);
        source += define(each, text);
    }
    std::ofstream{out.string() + ".hpp"} << header << "\n} // namespace " << space << "\n";
    std::ofstream{out.string() + ".cpp"} << source << "\n} // namespace " << space << "\n";
}
