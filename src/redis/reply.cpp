#include "redis/reply.hpp"

#include <charconv>

namespace leat::redis {
namespace {

std::int64_t to_whole(std::string_view text) {
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

} // namespace

std::int64_t reply::whole() const {
    return nodes.empty() ? 0 : to_whole(nodes.front().text);
}

std::string_view reply::text() const {
    return nodes.empty() ? std::string_view{} : nodes.front().text;
}

std::vector<std::int64_t> reply::wholes() const {
    std::vector<std::int64_t> found;
    for (const auto& each : nodes) {
        if (each.is == node::type::whole) {
            found.push_back(to_whole(each.text));
        }
    }
    return found;
}

std::vector<std::string_view> reply::texts() const {
    std::vector<std::string_view> found;
    for (const auto& each : nodes) {
        if (each.is == node::type::text) {
            found.emplace_back(each.text);
        }
    }
    return found;
}

} // namespace leat::redis
