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

TEST(Unicode, WhatIsPrintableObeysNobody) {
    using leat::base::printable;
    EXPECT_EQ(printable("a\x1b[2J\n\x7f", 100), "a\\x1b[2J\\x0a\\x7f");
    EXPECT_EQ(printable("\u0085\u009b", 100), "\\xc2\\x85\\xc2\\x9b");
    EXPECT_EQ(printable("\u202e\u2066\u200f\u061c", 100).find('\xe2'), std::string::npos);
    EXPECT_EQ(printable("\u061c", 100), "\\xd8\\x9c");
    EXPECT_EQ(printable("äß€\u00a0漢😀", 100), "äß€\u00a0漢😀");
    EXPECT_EQ(printable("\xff\x80", 100), "\\xff\\x80");
    EXPECT_EQ(printable("abc", 2), "ab");
}

TEST(Unicode, TheBeginningHasWholeCharacters) {
    EXPECT_EQ(leat::base::beginning("short", 5), "short");
    EXPECT_EQ(leat::base::beginning("shorter", 5), "short");
    EXPECT_EQ(leat::base::beginning("caf\xc3\xa9s", 4), "caf");
    EXPECT_EQ(leat::base::beginning("caf\xc3\xa9s", 5), "caf\xc3\xa9");
    EXPECT_EQ(leat::base::beginning("\x80\x80\x80\x80\x80\x80", 5).size(), 1U) << "no text at all";
    EXPECT_EQ(leat::base::beginning("", 5), "");
}

TEST(Unicode, LinesStayLines) {
    using leat::base::printable_lines;
    EXPECT_EQ(printable_lines("one\ntwo\x1b\r\n\n"), "one\ntwo\\x1b\\x0d\n\n");
    EXPECT_EQ(printable_lines(""), "");
}
