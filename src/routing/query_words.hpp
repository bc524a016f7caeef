#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace leat::routing {

// One argument of a command: texts, and names whose values come in between. A value never leaves the argument that its
// name stands in, whatever it holds, because the command is in words before any value is known.
struct query_word {
    struct piece {
        std::string text;
        bool is_name = false;
    };
    std::vector<piece> pieces; // no two texts in a row

    void add_text(std::string_view text);
    void add_name(std::string_view name);
    bool has_names() const;
    // Up to the first name.
    std::string_view known_start() const;
    std::string shown() const; // for people, with the names
};

// At spaces; 'single' and "double" quotes hold spaces, and may stand anywhere in a word, as in a shell.
base::result<std::vector<std::string>> split_words(std::string_view command);

// `$name` and `${name}` are names, `$$` is a dollar.
base::result<query_word> read_word(std::string_view text);

} // namespace leat::routing
