#include "contract.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

namespace embed_scripts {

[[noreturn]] void fail(const std::filesystem::path& file, int line, const std::string& text) {
    std::cerr << file.string() << ":" << line << ":1: error: " << text << "\n";
    std::exit(1);
}

script read_script(const std::filesystem::path& file) {
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

} // namespace embed_scripts
