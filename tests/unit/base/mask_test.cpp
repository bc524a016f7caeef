#include "base/mask.hpp"

#include <gtest/gtest.h>

namespace leat::base {
namespace {

TEST(mask_url, hides_the_password_and_nothing_else) {
    EXPECT_EQ(mask_url("redis://user:secret@host:6379/0"), "redis://user:***@host:6379/0");
    EXPECT_EQ(mask_url("redis://:secret@host"), "redis://:***@host");
    EXPECT_EQ(mask_url("unix://u:secret@/tmp/s.sock?db=1"), "unix://u:***@/tmp/s.sock?db=1");
    EXPECT_EQ(mask_url("redis://localhost:6379/0"), "redis://localhost:6379/0");
    EXPECT_EQ(mask_url("unix:///tmp/s.sock?password=secret&db=2"), "unix:///tmp/s.sock?password=***&db=2");
    EXPECT_EQ(mask_url("not a url"), "not a url");
}

TEST(mask_url, hides_a_password_that_should_have_been_encoded) {
    EXPECT_EQ(mask_url("redis://user:sec/ret@host/0"), "redis://user:***@host/0");
    EXPECT_EQ(mask_url("redis://user:sec@ret@host/0"), "redis://user:***@host/0");
    EXPECT_EQ(mask_url("redis://user:sec?ret@host/0"), "redis://user:***@host/0");
    EXPECT_EQ(mask_url("redis://user:a/b@x@host"), "redis://user:***@host");
    EXPECT_EQ(mask_url("user:secret@host"), "user:***@host");
    EXPECT_EQ(mask_url("redis://h:1?password=sec@ret"), "redis://h:1?password=***");
}

} // namespace
} // namespace leat::base
