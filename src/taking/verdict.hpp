#pragma once

#include "store/settlement.hpp"

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
    using push = store::output;

    type is = type::done;
    std::vector<push> pushes; // of what is done, dead, or given back
    std::string reason;       // of what failed, for people; printable
    std::string name;         // of the error, where errors have names: `Timeout`

    static verdict done(std::vector<push> pushes = {}) { return {type::done, std::move(pushes), {}, {}}; }
    static verdict again(std::string reason) { return {type::again, {}, std::move(reason), {}}; }
    static verdict dead(std::string reason) { return {type::dead, {}, std::move(reason), {}}; }
    static verdict give_back() { return {type::give_back, {}, {}, {}}; }
};

} // namespace leat::taking
