#include "routing/query_words.hpp"

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(split_words, is_at_spaces) {
    EXPECT_THAT(*split_words("hget  article:1\tsection\n"), ElementsAre("hget", "article:1", "section"));
    EXPECT_THAT(*split_words(" get \r\n a "), ElementsAre("get", "a"));
    EXPECT_THAT(*split_words(""), IsEmpty());
    EXPECT_THAT(*split_words(" \t"), IsEmpty());
    EXPECT_THAT(*split_words("get grüße:\\x"), ElementsAre("get", "grüße:\\x"));
}

TEST(split_words, quotes_hold_spaces) {
    EXPECT_THAT(*split_words(R"(set 'a b' "c  d")"), ElementsAre("set", "a b", "c  d"));
    EXPECT_THAT(*split_words(R"(set a:"b c"'d e' '')"), ElementsAre("set", "a:b cd e", ""));
    EXPECT_THAT(*split_words(R"(set "it's" 'say "x"')"), ElementsAre("set", "it's", "say \"x\""));
}

TEST(split_words, an_open_quote_is_told) {
    for (const auto* each : {"get 'a", "get \"a b", "don't", "get '", "'a''"}) {
        auto words = split_words(each);
        ASSERT_FALSE(words) << each;
        EXPECT_THAT(words.error().text, HasSubstr("never closed"));
    }
    EXPECT_THAT(split_words("get 'article:1 x").error().text, HasSubstr("'article:1 x"));
}

// Texts and names in turn, names as <name>.
std::string pieces(std::string_view text) {
    auto word = read_word(text);
    if (!word) {
        return "wrong: " + word.error().text;
    }
    std::string made;
    for (const auto& each : word->pieces) {
        made += each.is_name ? "<" + each.text + ">" : "[" + each.text + "]";
    }
    return made;
}

TEST(read_word, finds_names) {
    EXPECT_EQ(pieces("plain"), "[plain]");
    EXPECT_EQ(pieces(""), "");
    EXPECT_EQ(pieces("$a"), "<a>");
    EXPECT_EQ(pieces("article:$articleId"), "[article:]<articleId>");
    EXPECT_EQ(pieces("$a$b"), "<a><b>");
    EXPECT_EQ(pieces("x$a_1-y"), "[x]<a_1>[-y]");
    EXPECT_EQ(pieces("${a}b"), "<a>[b]");
    EXPECT_EQ(pieces("${a b-ü}."), "<a b-ü>[.]");
}

TEST(read_word, two_dollars_are_one) {
    EXPECT_EQ(pieces("$$"), "[$]");
    EXPECT_EQ(pieces("a$$b$$$c"), "[a$b$]<c>");
}

TEST(read_word, a_dollar_without_a_name_is_told) {
    for (const auto* each : {"$", "a$", "$1", "$-", "${", "${a", "${}", "$ a", "$ü", "$$$"}) {
        EXPECT_THAT(pieces(each), HasSubstr("followed by no name")) << each;
    }
}

TEST(query_word, knows_its_start) {
    EXPECT_EQ(read_word("article:$id:x")->known_start(), "article:");
    EXPECT_EQ(read_word("$id:x")->known_start(), "");
    EXPECT_EQ(read_word("")->known_start(), "");
    EXPECT_EQ(read_word("a$b${c}\x01")->shown(), "a$b$c\\x01");
    EXPECT_FALSE(read_word("a$$b")->has_names());
    EXPECT_TRUE(read_word("a$b")->has_names());
}

} // namespace
} // namespace leat::routing
