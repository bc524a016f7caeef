#include "runtime/kind.hpp"

#include <algorithm>

namespace leat::runtime {

const kind* find_kind(const kind_table& kinds, std::string_view name) {
    auto found = std::ranges::find_if(kinds, [name](const kind& each) { return each.spec->name() == name; });
    return found == kinds.end() ? nullptr : &*found;
}

std::vector<const config::spec_base*> specs_of(const kind_table& kinds) {
    std::vector<const config::spec_base*> specs;
    specs.reserve(kinds.size());
    for (const auto& each : kinds) {
        specs.push_back(each.spec.get());
    }
    return specs;
}

} // namespace leat::runtime
