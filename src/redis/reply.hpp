#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leat::redis {

// A RESP value as a flat list of its nodes, outermost first, each with its depth.
struct node {
    enum class type : std::uint8_t { null, whole, text, error, group };
    type is = type::null;
    std::size_t depth = 0;
    std::string text;
};

struct reply {
    std::vector<node> nodes;

    // The value as one whole number; 0 when it is none.
    std::int64_t whole() const;
    std::string_view text() const;
    // The leaves of one type, in order, however deep.
    std::vector<std::int64_t> wholes() const;
    std::vector<std::string_view> texts() const;
};

using command = std::vector<std::string>;

} // namespace leat::redis
