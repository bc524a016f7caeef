#include "taking/unread_messages.hpp"

#include "store/settlement.hpp"

#include <algorithm>

namespace leat::taking {

using namespace std::chrono_literals;

std::vector<hand::seen> unread_messages::replace(std::vector<hand::seen> unknown, clock::time_point now) {
    std::vector<hand::seen> begin;
    waiting_.clear();
    due_ = now + 100ms; // the others first: it may cost the connection
    for (auto& each : unknown) {
        bool waits = !each.name.empty() || holds_up_others();
        (waits ? waiting_ : begin).push_back(std::move(each));
    }
    std::erase_if(lost_, [this](const auto& each) {
        return std::ranges::find(waiting_, each.first, &hand::seen::name) == waiting_.end();
    });
    return begin;
}

bool unread_messages::first_is_given_up() {
    auto bytes = store::size_of_large(first().name);
    auto known = lost_.find(first().name);
    auto lost = known == lost_.end() ? 0 : known->second;
    if (lost < (bytes >= unreadable_from_ ? 1 : patience_)) {
        return false;
    }
    unreadable_from_ = std::min(unreadable_from_, bytes);
    return true;
}

hand::seen unread_messages::take_first() {
    auto one = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    lost_.erase(one.name);
    return one;
}

void unread_messages::failed(bool connection_lost, clock::time_point now) {
    if (!waiting_.empty()) {
        lost_[first().name] += connection_lost ? 1 : 0;
    }
    due_ = now + (connection_lost ? 100ms : 1000ms);
}

void unread_messages::clear() {
    waiting_.clear();
    lost_.clear();
}

} // namespace leat::taking
