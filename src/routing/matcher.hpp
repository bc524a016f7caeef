#pragma once

#include "message/envelope.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

namespace leat::routing {

// Brings answers, in any order, to those who wait for them by id. Pure.
class matcher {
public:
    using answered = std::function<void(message::answer)>;

    // `instance` makes its ids unlike those of all other instances.
    explicit matcher(std::string instance)
        : instance_{std::move(instance)} {}

    // A fresh id, under which `then` waits.
    std::string expect(answered then);
    bool expects(const std::string& id) const { return waiting_.contains(id); }
    void forget(const std::string& id) { waiting_.erase(id); }
    std::size_t size() const { return waiting_.size(); }

    enum class match : std::uint8_t {
        answered,
        late,   // an id of ours that nobody waits for any more: its time was over, or this is its second answer
        unknown // no id of ours
    };
    match take(message::answer given);

private:
    std::string instance_;
    std::uint64_t next_ = 1;
    std::unordered_map<std::string, answered> waiting_;
};

} // namespace leat::routing
