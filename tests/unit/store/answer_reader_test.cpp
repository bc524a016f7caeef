#include "store/answer_reader.hpp"

#include <gmock/gmock.h>

namespace leat::store {
namespace {

using redis::node;
using testing::ElementsAre;
using testing::IsEmpty;
using type = node::type;

redis::reply answer(std::vector<node> elements) {
    elements.insert(elements.begin(), {type::group, 0, {}});
    return {std::move(elements)};
}

TEST(answer_reader, reads_elements_in_their_order) {
    answer_reader reader{answer(
        {{type::whole, 1, "7"},
         {type::text, 1, "word"},
         {type::group, 1, {}},
         {type::text, 2, "a"},
         {type::text, 2, "b"},
         {type::group, 1, {}},
         {type::whole, 2, "1"},
         {type::text, 1, "second"}})};
    EXPECT_EQ(reader.whole(), 7);
    EXPECT_EQ(reader.text(), "word");
    EXPECT_THAT(reader.texts(), ElementsAre("a", "b"));
    EXPECT_THAT(reader.wholes(), ElementsAre(1));
    EXPECT_EQ(reader.word({"first", "second"}), 1U);
    EXPECT_TRUE(reader.understood());
}

TEST(answer_reader, what_is_not_there_is_empty) {
    answer_reader reader{answer({{type::text, 1, "lease_lost"}})};
    EXPECT_EQ(reader.word({"done", "lease_lost"}), 1U);
    EXPECT_EQ(reader.whole(), 0);
    EXPECT_EQ(reader.text(), "");
    EXPECT_THAT(reader.texts(), IsEmpty());
    EXPECT_TRUE(reader.understood());
}

TEST(answer_reader, rows_stand_one_behind_the_other) {
    answer_reader reader{answer(
        {{type::group, 1, {}},
         {type::text, 2, "id"},
         {type::text, 2, "2"},
         {type::text, 2, "x"},
         {type::text, 2, "y"},
         {type::whole, 1, "3"}})};
    auto list = reader.list();
    EXPECT_EQ(list.text(), "id");
    EXPECT_THAT(list.texts(), ElementsAre("x", "y"));
    EXPECT_FALSE(list.more());
    EXPECT_EQ(reader.whole(), 3);
}

TEST(answer_reader, another_type_or_word_is_not_understood) {
    answer_reader no_list{redis::reply{{{type::text, 0, "OK"}}}};
    EXPECT_FALSE(no_list.understood());
    answer_reader nothing{redis::reply{}};
    EXPECT_FALSE(nothing.understood());

    answer_reader other_word{answer({{type::text, 1, "strange"}})};
    EXPECT_EQ(other_word.word({"done", "lost"}), 0U);
    EXPECT_FALSE(other_word.understood());

    answer_reader no_text{answer({{type::group, 1, {}}, {type::text, 2, "deep"}})};
    no_text.text();
    EXPECT_FALSE(no_text.understood());

    answer_reader no_group{answer({{type::text, 1, "flat"}})};
    EXPECT_THAT(no_group.texts(), IsEmpty());
    EXPECT_FALSE(no_group.understood());
}

} // namespace
} // namespace leat::store
