#pragma once

#include "config/problem.hpp"

#include <span>
#include <string>
#include <vector>

namespace leat::runtime {

// What a mover does with every message, whatever is in it: takes it from `in`, and pushes it to each of `outs`. Kinds
// that decide (exec, router, mdispatch, bridge) do no such thing: they can end what goes round.
struct forwarding {
    std::string server; // its URL
    std::string in;
    std::vector<std::string> outs;
};

struct declared_forwarding {
    std::string service;
    config::position where;
    forwarding what;
};

// Tells of each service that closes a cycle of movers: a message in it would come back for ever, and be more each time.
void check_cycles(std::span<const declared_forwarding> all, config::problems& found);

} // namespace leat::runtime
