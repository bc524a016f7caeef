#pragma once

#include "inspect/conversations.hpp"

#include <string>
#include <vector>

namespace leat::cli {

// One conversation of the demo: what was asked and answered so far, what its client got, and what the bridge tells of
// it.
struct demo_lane {
    struct turn {
        std::string request;
        std::string reply; // empty: none has come yet
        bool gave_way = false;
    };

    std::string conversation;
    std::string origin;
    std::vector<turn> turns; // in the order of the requests
    std::vector<std::string> received;
    inspect::conversation seen;

    bool has_received(const std::string& reply) const;
};

// What is wrong with what the client got, compared with what was answered.
struct demo_verdict {
    bool in_order = true;
    std::size_t lost = 0;
    std::size_t duplicated = 0;
    bool good() const { return in_order && lost == 0 && duplicated == 0; }
};
demo_verdict check_lane(const demo_lane& lane);

// Its picture, always as many lines.
std::vector<std::string> lines_of(const demo_lane& lane, std::size_t columns);

} // namespace leat::cli
