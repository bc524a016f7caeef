#pragma once

#include "taking/hand.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace leat::taking {

// Large messages that are in flight with us and that we never saw, because the answer that brought them was lost; with
// `in_order` also what was taken after them, which must not overtake them. Each is fetched alone; one that costs the
// connection again and again is given up unseen. Pure.
class unread_messages {
public:
    using clock = hand::clock;

    unread_messages(bool in_order, std::int64_t patience)
        : in_order_{in_order}
        , patience_{patience} {}

    bool empty() const { return waiting_.empty(); }
    std::size_t size() const { return waiting_.size(); }
    bool holds_up_others() const { return in_order_ && !waiting_.empty(); }
    clock::time_point due() const { return waiting_.empty() ? clock::time_point::max() : due_; }

    // After a look at what is in flight: what we do not know of, oldest first. What can begin at once comes back.
    std::vector<hand::seen> replace(std::vector<hand::seen> unknown, clock::time_point now);

    // What is to be done with the first: it begins (it has its text), is fetched, or is given up.
    const hand::seen& first() const { return waiting_.front(); }
    bool first_is_given_up();
    hand::seen take_first(); // it was fetched, or given up, or has its text
    // The call for the first failed.
    void failed(bool connection_lost, clock::time_point now);
    void clear();

private:
    bool in_order_;
    std::int64_t patience_; // connections that one message may cost
    std::vector<hand::seen> waiting_;
    std::unordered_map<std::string, std::int64_t> lost_; // by name: connections that were lost with it
    std::int64_t unreadable_from_ = std::numeric_limits<std::int64_t>::max(); // bytes of what cost too many
    clock::time_point due_;
};

} // namespace leat::taking
