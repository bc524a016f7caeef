#include "contract.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace embed_scripts {

[[noreturn]] void fail(const std::filesystem::path& file, int line, const std::string& text) {
    std::cerr << file.string() << ":" << line << ":1: error: " << text << "\n";
    std::exit(1);
}

namespace {

const std::set<std::string> argument_types{"text", "whole", "flag", "digits"};
const std::set<std::string> answer_types{"text", "whole", "flag", "texts", "wholes"};
const std::set<std::string> column_types{"text", "whole", "flag", "texts"};

class reader {
public:
    reader(std::filesystem::path file, script& into, std::string table)
        : file_{std::move(file)}
        , made_{into}
        , table_{std::move(table)} {}

    void read() {
        std::ifstream in{file_};
        std::string line;
        while (std::getline(in, line)) {
            ++number_;
            if (number_ == 1 && line.starts_with("#!lua")) {
                made_.shebang = line;
            } else if (line.starts_with("--- @")) {
                take(line.substr(5));
            } else {
                made_.body += line + "\n";
            }
        }
        if (number_ == 0) {
            wrong("cannot be read, or is empty");
        }
    }

private:
    [[noreturn]] void wrong(const std::string& text) const { fail(file_, number_, text); }

    static std::string rest_of(std::istringstream& words) {
        std::string rest;
        std::getline(words >> std::ws, rest);
        return rest;
    }

    void take(const std::string& line) {
        std::istringstream words{line};
        std::string tag;
        words >> tag;
        if (tag == "doc") {
            made_.doc = rest_of(words);
        } else if (tag == "include") {
            made_.includes.push_back(rest_of(words));
        } else if (tag == "block") {
            take_block(words);
        } else if (tag == "object") {
            object found{.table = table_};
            words >> found.type >> found.name;
            made_.objects.push_back(found);
        } else {
            take_word(tag, words);
        }
    }

    void take_block(std::istringstream& words) {
        std::string name;
        std::string as;
        std::string table;
        words >> name >> as >> table;
        if (name.empty() || as.empty() != table.empty() || !table_.empty()) {
            wrong("@block NAME [as TABLE], and none in the table of another");
        }
        auto folder = file_.parent_path();
        auto file = (folder.filename() == "contract" ? folder : folder / "contract") / (name + ".lua");
        reader{file, made_, table}.read();
        if (!table.empty()) {
            made_.blocks.push_back({name, table});
        }
    }

    void take_word(const std::string& tag, std::istringstream& words) {
        word found{.tag = tag, .table = table_};
        bool has_columns = tag == "arg_rows" || tag == "rows" || tag == "outcome";
        if (tag == "arg" || tag == "returns" || has_columns) {
            words >> found.type;
        }
        words >> found.name;
        found.doc = rest_of(words);
        if (found.name.empty()) {
            wrong("@" + tag + " without a name");
        }
        if (has_columns) {
            read_columns(found);
        }
        split_name(found);
        auto& into = tag == "key" || tag == "keys"      ? made_.keys
                     : has_columns && tag != "arg_rows" ? made_.returns
                     : tag == "returns"                 ? made_.returns
                                                        : made_.arguments;
        check(found, into);
        into.push_back(std::move(found));
    }

    // `(text id, whole age) DOC`, or `(done, lost) DOC`
    void read_columns(word& of) const {
        auto end = of.doc.find(')');
        if (!of.doc.starts_with('(') || end == std::string::npos) {
            wrong("@" + of.tag + " " + of.type + " " + of.name + " needs its columns, or words, in brackets");
        }
        std::istringstream all{of.doc.substr(1, end - 1)};
        std::string each;
        while (std::getline(all, each, ',')) {
            std::istringstream parts{each};
            column made;
            if (of.tag != "outcome") {
                parts >> made.type;
                if (!column_types.contains(made.type)) {
                    wrong("a column is text, whole, flag or texts, not " + made.type);
                }
            }
            parts >> made.name;
            of.columns.push_back(made);
        }
        of.doc = of.doc.substr(end + 1);
        of.doc.erase(0, of.doc.find_first_not_of(' '));
    }

    void split_name(word& of) const {
        auto dot = of.name.find('.');
        if (dot == std::string::npos) {
            return;
        }
        of.object = of.name.substr(0, dot);
        of.name = of.name.substr(dot + 1);
        if (auto bracket = of.name.find('('); bracket != std::string::npos && of.name.ends_with(')')) {
            of.given = of.name.substr(bracket + 1, of.name.size() - bracket - 2);
            of.name.resize(bracket);
        }
        if (std::ranges::find(made_.objects, of.object, &object::name) == made_.objects.end()) {
            wrong("there is no @object " + of.object);
        }
    }

    void check(const word& of, const std::vector<word>& before) const {
        static const std::set<std::string> tags{"key", "keys", "arg", "args", "arg_rows", "returns", "outcome", "rows"};
        if (!tags.contains(of.tag)) {
            wrong("unknown contract line: @" + of.tag);
        }
        if ((of.tag == "arg" && !argument_types.contains(of.type)) ||
            (of.tag == "returns" && !answer_types.contains(of.type))) {
            wrong("@" + of.tag + " " + of.type + ": there is no such type");
        }
        if (!before.empty() && before.back().is_list()) {
            wrong("nothing can stand behind " + before.back().name + ", which takes the rest");
        }
    }

    std::filesystem::path file_;
    script& made_;
    std::string table_;
    int number_ = 0;
};

} // namespace

script read_script(const std::filesystem::path& file) {
    script made;
    made.name = file.stem().string();
    reader{file, made, {}}.read();
    return made;
}

} // namespace embed_scripts
