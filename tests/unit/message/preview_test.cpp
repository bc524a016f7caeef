#include "message/preview.hpp"

#include <gtest/gtest.h>

namespace leat::message {
namespace {

TEST(preview, shows_text_as_it_is) {
    EXPECT_EQ(preview("one"), "one");
    EXPECT_EQ(preview(""), "");
    EXPECT_EQ(preview("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
    EXPECT_EQ(preview("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
}

TEST(preview, escapes_what_a_terminal_must_not_see) {
    EXPECT_EQ(preview(std::string_view{"a\0b\x1b[31m\n", 9}), "a\\x00b\\x1b[31m\\x0a");
    EXPECT_EQ(preview("\xff\xc3("), "\\xff\\xc3(");
    EXPECT_EQ(preview("\xc3"), "\\xc3");
}

TEST(preview, cuts_and_tells_the_size) {
    EXPECT_EQ(preview("abcdef", 3), "abc... (6 bytes)");
}

} // namespace
} // namespace leat::message
