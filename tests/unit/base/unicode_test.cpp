#include "base/unicode.hpp"

#include <gtest/gtest.h>

TEST(Unicode, ColumnsOfACharacterOnATerminal) {
    using leat::base::character_columns;
    EXPECT_EQ(character_columns("a"), 1);
    EXPECT_EQ(character_columns("é"), 1);
    EXPECT_EQ(character_columns("…"), 1);
    EXPECT_EQ(character_columns("注文"), 2);
    EXPECT_EQ(character_columns("한"), 2);
    EXPECT_EQ(character_columns("🚀"), 2);
    EXPECT_EQ(character_columns("\xcc\x81"), 0); // an acute accent on what comes before
    EXPECT_EQ(character_columns("\xff"), 1);
    EXPECT_EQ(character_columns(""), 1);
}
