// Turns a folder of Lua scripts into C++: embed_scripts FOLDER OUT NAMESPACE writes OUT.hpp and OUT.cpp. What a script
// says of itself is in contract.hpp.
#include "contract.hpp"
#include "cpp_text.hpp"
#include "lua_text.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: embed_scripts FOLDER OUT NAMESPACE\n";
        return 2;
    }
    using namespace embed_scripts;
    std::filesystem::path folder{argv[1]};
    std::filesystem::path out{argv[2]};
    std::string space{argv[3]};
    std::filesystem::create_directories(out.parent_path());
    std::map<std::string, script> scripts; // by name, so that the output does not depend on the folder's order
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
        if (entry.path().extension() == ".lua") {
            auto read = read_script(entry.path());
            if (read.shebang.empty() || read.doc.empty()) {
                fail(entry.path(), 1, "a script opens with #!lua and has a --- @doc");
            }
            scripts.emplace(read.name, std::move(read));
        }
    }
    auto room = out.parent_path().filename().string();
    std::string header = "// Made from " + folder.filename().string() +
                         "/*.lua by tools/embed_scripts.\n#pragma once\n\n#include \"redis/script.hpp\"\n#include \"" +
                         room +
                         "/keys.hpp\"\n\n#include <boost/asio/awaitable.hpp>\n\n"
                         "#include <cstdint>\n#include <string>\n#include <vector>\n\nnamespace " +
                         space + " {\n";
    std::string source = "#include \"" + room + "/scripts.hpp\"\n\n#include \"" + room +
                         "/answer_reader.hpp\"\n#include \"" + room + "/run_verb.hpp\"\n\nnamespace " + space + " {\n";
    shared_types types;
    for (const auto& [name, each] : scripts) {
        add_types(folder / (name + ".lua"), each, types);
    }
    for (const auto& [name, text] : types) {
        header += "\n" + text;
    }
    for (const auto& [name, each] : scripts) {
        header += declare(each);
        source += define(each, lua_text(folder, each));
    }
    std::ofstream{out.string() + ".hpp"} << header << "\n} // namespace " << space << "\n";
    std::ofstream{out.string() + ".cpp"} << source << "\n} // namespace " << space << "\n";
}
