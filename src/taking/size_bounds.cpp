#include "taking/size_bounds.hpp"

namespace leat::taking {
namespace {

std::string more_than(const std::string& what, std::size_t bytes, std::size_t most) {
    return what + " has " + std::to_string(bytes) + " bytes, more than maxMessageBytes, " + std::to_string(most);
}

} // namespace

std::optional<verdict> size_bounds::refuse(const std::string& message) const {
    if (message.size() <= work_.max_message_bytes) {
        return std::nullopt;
    }
    return too_large(message, more_than("the message", message.size(), work_.max_message_bytes));
}

void size_bounds::bound(const std::string& message, verdict& how) const {
    for (const auto& each : how.pushes) {
        if (each.message.size() > work_.max_message_bytes && each.message != message) {
            how = instead_of(how, message, more_than("the result", each.message.size(), work_.max_message_bytes));
            return;
        }
    }
}

verdict size_bounds::instead_of(const verdict& how, const std::string& message, const std::string& reason) const {
    auto made = too_large(message, reason);
    for (const auto& each : how.pushes) {
        if (each.keep != 0) {
            made.pushes.push_back({.to = each.to, .message = each.keep < 0 ? each.message : "*", .keep = -1});
        }
    }
    return made;
}

verdict size_bounds::too_large(const std::string& message, const std::string& reason) const {
    if (work_.too_large) {
        return work_.too_large(message, reason);
    }
    auto made = verdict::dead(reason);
    made.name = "TooLarge";
    return made;
}

} // namespace leat::taking
