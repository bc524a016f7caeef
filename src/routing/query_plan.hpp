#pragma once

#include "redis/reply.hpp"
#include "routing/query_commands.hpp"
#include "routing/query_fault.hpp"
#include "routing/query_reader.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace leat::routing {

// What queries may do.
struct query_rules {
    std::vector<std::string> prefixes; // a key starts with one of them
    std::vector<std::string> allow;    // commands that write
    std::size_t max_commands = 100;
    std::size_t max_bytes = 64 << 10; // of a query, and of all that its commands send
    std::size_t max_answer = 1 << 20;
};

// One command. Parameters stand in its words already; the names that are left are those of saved values.
struct query_step : query_text::step {
    const query_command* command = nullptr;
    bool needs_saved = false;
};

struct query_plan {
    std::vector<query_step> steps;
    // Places in `steps`. A round is sent together, when all before it are answered: as few as the names allow, but what
    // writes is alone, after all that stands before it.
    std::vector<std::vector<std::size_t>> rounds;
    std::size_t bytes = 0; // that the steps send, as far as is known
};

// Pure and total: whatever is given, a plan comes back, or the first thing that is wrong. What can be refused without
// asking Redis is refused here, so that nothing of such a query is done.
query_result<query_plan> plan_query(const boost::json::value& query, const query_rules& rules);

// Of the words that are to be sent: whether the rules allow their keys and counts.
query_result<void> check_words(const query_step& step, const redis::command& words, const query_rules& rules);

// All that a query sends is bounded: a long value, many times, is more than it looks.
query_fault too_much_sent(const query_step& step, const query_rules& rules);

} // namespace leat::routing
