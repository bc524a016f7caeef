#include "ids.hpp"

#include <charconv>
#include <cstdint>
#include <random>

namespace leat::bench {

// Random as of version 4; the shape is what counts here.
std::string uuid() {
    static std::mt19937_64 source{std::random_device{}()};
    static constexpr std::string_view hex = "0123456789abcdef";
    static constexpr std::string_view shape = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
    std::string made{shape};
    std::uint64_t bits = 0;
    int left = 0;
    for (auto& each : made) {
        if (each != 'x') {
            continue;
        }
        if (left == 0) {
            bits = source();
            left = 16;
        }
        each = hex[bits & 15];
        bits >>= 4;
        --left;
    }
    return made;
}

std::vector<std::string> uuids(int count) {
    std::vector<std::string> made(static_cast<std::size_t>(count));
    for (auto& each : made) {
        each = uuid();
    }
    return made;
}

std::string body(std::size_t number, int size) {
    auto made = std::to_string(number);
    made.insert(0, 10 - made.size(), '0');
    made.resize(static_cast<std::size_t>(size), 'x');
    return made;
}

std::size_t number_of(std::string_view body) {
    std::size_t number = 0;
    auto digits = body.substr(0, 10);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

} // namespace leat::bench
