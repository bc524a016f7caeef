// Redis makes the functions of a script again at each call, about 0.07 microseconds each: their number is part of what
// a call costs.
#include "embed_scripts/lua_shrink.hpp"
#include "store/scripts.hpp"

#include <gmock/gmock.h>

namespace leat::tests {
namespace {

struct bound {
    const redis::script& script;
    int functions;
};

TEST(functions, of_the_hot_scripts_are_few) {
    const bound bounds[] = {
        {store::transfer_script, 6},         {store::transfer_tracked_script, 12}, {store::take_script, 10},
        {store::settle_script, 23},          {store::complete_script, 15},         {store::bridge_accept_script, 46},
        {store::bridge_conclude_script, 44}, {store::bridge_collect_script, 35}};
    for (const auto& [script, functions] : bounds) {
        EXPECT_LE(embed_scripts::count_functions(std::string{script.text}), functions)
            << script.name << " makes more functions at each call than it did: is each needed?";
    }
}

} // namespace
} // namespace leat::tests
