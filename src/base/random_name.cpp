#include "base/random_name.hpp"

#include <random>

namespace leat::base {

std::string random_name(int digits) {
    std::random_device source;
    std::uniform_int_distribution<std::size_t> digit{0, 15};
    std::string made;
    for (int i = 0; i < digits; ++i) {
        made += "0123456789abcdef"[digit(source)];
    }
    return made;
}

} // namespace leat::base
