#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace leat::taking {

// What a kind has decided of a message.
struct verdict {
    enum class type : std::uint8_t {
        done,
        again,     // it failed: after a pause it is delivered again, unless its deliveries are used up
        dead,      // it will never succeed
        give_back, // nothing was done with it: it is next again, and nobody is to blame
    };
    // To one of the outs of the work, by its index.
    struct push {
        std::size_t out = 0;
        std::string message;
    };

    type is = type::done;
    std::vector<push> pushes; // of what is done
    std::string reason;       // of what failed, for people; printable

    static verdict done(std::vector<push> pushes = {}) { return {type::done, std::move(pushes), {}}; }
    static verdict again(std::string reason) { return {type::again, {}, std::move(reason)}; }
    static verdict dead(std::string reason) { return {type::dead, {}, std::move(reason)}; }
    static verdict give_back() { return {type::give_back, {}, {}}; }
};

} // namespace leat::taking
