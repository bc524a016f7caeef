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

TEST(base64, there_and_back) {
    for (std::size_t size = 0; size < 20; ++size) {
        std::string bytes;
        for (std::size_t i = 0; i < size; ++i) {
            bytes += static_cast<char>(i * 37 + 200);
        }
        EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    }
    EXPECT_EQ(from_base64("QQ"), "A");
    EXPECT_FALSE(from_base64("Q"));
    EXPECT_FALSE(from_base64("Q Q="));
}

} // namespace
} // namespace leat::message
