#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace leat::routing {

// A command of Redis that a query may have. Its keys stand at known places and it touches nothing else, whatever its
// options; so what a query touches is known before anything is sent. What blocks, runs scripts, looks through all keys,
// goes to another database, or holds Redis for long on a few bytes is no row of the table and never allowed.
struct query_command {
    enum class keys_at : std::uint8_t { first, first_two, all, every_second }; // of the words after the name

    std::string_view name;
    bool writes = false;
    keys_at keys = keys_at::first;
    std::size_t count_at = 0; // the place of a count; a negative one would repeat members without end
    bool is_map = false;      // the answer is names and values in turn
};

// Whatever its case; nullptr when there is no such row.
const query_command* find_query_command(std::string_view name);
std::vector<std::string> query_command_names(bool writes);

// Which of so many words, the name counted, are keys.
std::vector<std::size_t> key_places(const query_command& command, std::size_t words);

} // namespace leat::routing
