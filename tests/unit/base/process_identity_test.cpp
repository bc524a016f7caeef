#include "base/process_identity.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace leat::base {
namespace {

TEST(process_identity, the_living_are_not_gone) {
    ASSERT_FALSE(process_identity().empty());
    EXPECT_FALSE(is_gone(process_identity()));
}

TEST(process_identity, who_has_ended_is_gone) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    auto child = ::fork();
    if (child == 0) {
        auto own = process_identity();
        ::_exit(::write(ends[1], own.data(), own.size()) > 0 ? 0 : 1);
    }
    std::string identity(256, '\0');
    identity.resize(static_cast<std::size_t>(::read(ends[0], identity.data(), identity.size())));
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(is_gone(identity));
}

TEST(process_identity, a_number_that_is_used_again_is_another) {
    auto own = process_identity();
    EXPECT_TRUE(is_gone(own.substr(0, own.rfind('/')) + "/1"));
}

TEST(process_identity, of_other_machines_nothing_is_known) {
    auto own = process_identity();
    EXPECT_FALSE(is_gone("other" + own));
    EXPECT_FALSE(is_gone(""));
    EXPECT_FALSE(is_gone("/"));
    EXPECT_FALSE(is_gone("//"));
    EXPECT_FALSE(is_gone("text"));
    EXPECT_FALSE(is_gone(own.substr(0, own.rfind('/', own.rfind('/') - 1)) + "/x/1"));
}

} // namespace
} // namespace leat::base
