#include "message/base64.hpp"

#include <gtest/gtest.h>

namespace leat::message {
namespace {

TEST(base64, is_that_of_rfc_4648) {
    EXPECT_EQ(to_base64(""), "");
    EXPECT_EQ(to_base64("f"), "Zg==");
    EXPECT_EQ(to_base64("fo"), "Zm8=");
    EXPECT_EQ(to_base64("foo"), "Zm9v");
    EXPECT_EQ(to_base64("foob"), "Zm9vYg==");
    EXPECT_EQ(to_base64("fooba"), "Zm9vYmE=");
    EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(to_base64(std::string_view{"\x00\xff\xfe", 3}), "AP/+");
}

} // namespace
} // namespace leat::message
