#pragma once

#include "routing/query_fault.hpp"
#include "routing/query_words.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace leat::routing {

// A query as it is written; nothing is known yet of what it means.
struct query_text {
    struct step {
        std::vector<query_word> words; // at least one
        std::string save;              // name of the value; empty: nobody wants it
        std::string where;             // for people: commands[1] (save `label`)
    };
    std::map<std::string, std::string, std::less<>> parameters;
    std::vector<step> steps;
};

query_result<query_text> read_query(const boost::json::value& query, std::size_t max_commands);

} // namespace leat::routing
