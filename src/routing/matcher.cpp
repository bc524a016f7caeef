#include "routing/matcher.hpp"

#include <charconv>

namespace leat::routing {

std::string matcher::expect(answered then) {
    auto id = instance_ + "-" + std::to_string(next_++);
    waiting_.emplace(id, std::move(then));
    return id;
}

matcher::match matcher::take(message::answer given) {
    auto found = waiting_.find(given.id);
    if (found != waiting_.end()) {
        auto then = std::move(found->second);
        waiting_.erase(found);
        then(std::move(given));
        return match::answered;
    }
    auto before = instance_.size() + 1;
    std::uint64_t number = 0;
    if (given.id.starts_with(instance_ + "-")) {
        auto read = std::from_chars(given.id.data() + before, given.id.data() + given.id.size(), number);
        if (read.ptr == given.id.data() + given.id.size() && number > 0 && number < next_) {
            return match::late;
        }
    }
    return match::unknown;
}

} // namespace leat::routing
