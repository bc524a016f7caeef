#include "reading.hpp"

namespace leat::config {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(yaml_reader, gives_each_value_its_place) {
    auto got = yaml("a: 1\nb:\n  - x\n  - {ä: y, c: z}\nd: 'q'\n");
    ASSERT_TRUE(got.tree) << testing::PrintToString(got.lines);
    EXPECT_EQ(to_string(got.tree->where()), "f.yaml:1:1");
    EXPECT_EQ(to_string(got.tree->find_entry("b")->key_position), "f.yaml:2:1");
    const auto& list = got.tree->find("b")->items();
    EXPECT_EQ(to_string(list[0].where()), "f.yaml:3:5");
    EXPECT_EQ(to_string(list[1].find_entry("c")->key_position), "f.yaml:4:12");
    EXPECT_EQ(to_string(got.tree->find("d")->where()), "f.yaml:5:4");
}

TEST(yaml_reader, keeps_places_right_with_crlf) {
    auto got = yaml("a: 1\r\nb: 2\r\n");
    ASSERT_TRUE(got.tree);
    EXPECT_EQ(got.json(), R"({"a":1,"b":2})");
    EXPECT_EQ(to_string(got.tree->find("b")->where()), "f.yaml:2:4");
}

TEST(yaml_reader, types_plain_scalars_and_leaves_quoted_ones) {
    auto got = yaml("- 5\n- '5'\n- \"5\"\n- true\n- yes\n- ~\n-\n- 0.5\n- !!str 5\n- |-\n  5\n");
    EXPECT_EQ(got.json(), R"([5,"5","5",true,"yes",null,null,0.5,"5","5"])");
    EXPECT_EQ(got.tree->items()[0].style(), scalar_style::plain);
    EXPECT_EQ(got.tree->items()[1].style(), scalar_style::exact);
}

TEST(yaml_reader, keeps_the_line_ends_of_block_text) {
    EXPECT_EQ(yaml("a: |\n  x\n").json(), R"({"a":"x\n"})");
    EXPECT_EQ(yaml("a: |-\n  x\n").json(), R"({"a":"x"})");
    EXPECT_EQ(yaml("a: |+\n  x\n\n").json(), R"({"a":"x\n\n"})");
    EXPECT_EQ(yaml("a: |\n  x\n  ").json(), R"({"a":"x\n"})");
}

TEST(yaml_reader, takes_an_empty_file_as_nothing) {
    for (const auto* text : {"", "# only this\n", "---\n", "\n\n"}) {
        auto got = yaml(text);
        ASSERT_TRUE(got.tree) << text;
        EXPECT_TRUE(got.tree->is_null()) << text;
    }
}

TEST(yaml_reader, tells_both_places_of_a_duplicate_key) {
    EXPECT_THAT(
        yaml("a: 1\nb: 2\na: 3\n'b': 4\n").lines, ElementsAre(
                                                      "f.yaml:3:1: error: a is set twice; first at f.yaml:1:1",
                                                      "f.yaml:4:1: error: b is set twice; first at f.yaml:2:1"));
}

TEST(yaml_reader, refuses_what_is_not_a_plain_tree) {
    const std::pair<const char*, const char*> cases[] = {
        {"a: 1\n---\nb: 2\n", "f.yaml:2:1: error: a second document starts here; a file holds one"},
        {"[a]: 1\n", "f.yaml:1:1: error: a key must be text"},
        {"? {a: 1}\n: 1\n", "f.yaml:1:3: error: a key must be text"},
        {"a:\n  5: 1\n", "f.yaml:2:3: error: a key must be text, found 5"},
        {"true: 1\n", "f.yaml:1:1: error: a key must be text, found true"},
        {"~: 1\n", "f.yaml:1:1: error: a key must be text, found nothing"},
        {"a: !!int 5\n", "tags are not supported but !!str"},
        {"a: !secret x\n", "tags are not supported but !!str"},
        {"a: !x {}\n", "tags are not supported but !!str"},
        {"a: &x {b: 1}\nc:\n  <<: *x\n", "f.yaml:3:3: error: merging with << is not supported"},
        {"a: &x [*x]\n", "f.yaml:1:8: error: this alias refers to a value that holds it"},
        {"a: *x\n", "f.yaml:1:4: error: is not valid YAML: "},
        {"a: b: c\n", "f.yaml:1:5: error: is not valid YAML: "},
        {"a: [1,\nb: 2\n", "error: is not valid YAML: "},
        {" a: 1\nb: 2\n",
         "f.yaml:2:1: error: is not valid YAML: this does not belong to what is above; check the indent"},
        {"a: 'x\n", "error: is not valid YAML: illegal EOF in scalar"},
        {"a: \"x\nb: 1\n", "error: is not valid YAML: illegal EOF in scalar"},
        {"a: 'x\n  ", "error: is not valid YAML: illegal EOF in scalar"},
        {"a: 1\n\tb: 2\n", "error: is not valid YAML: "},
    };
    for (const auto& [text, expected] : cases) {
        auto got = yaml(text);
        EXPECT_FALSE(got.tree) << text;
        EXPECT_THAT(got.lines, ElementsAre(HasSubstr(expected))) << text;
    }
}

TEST(yaml_reader, follows_aliases) {
    auto got = yaml("a: &x [1, 2]\nb: *x\n&k c: 1\nd: {*k : 2}\n");
    EXPECT_EQ(got.json(), R"({"a":[1,2],"b":[1,2],"c":1,"d":{"c":2}})");
}

TEST(yaml_reader, stops_at_an_alias_bomb) {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 20; ++i) {
        auto last = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
        for (int j = 1; j < 10; ++j) {
            bomb += ", " + last;
        }
        bomb += "]\n";
    }
    EXPECT_THAT(
        yaml(bomb).lines,
        ElementsAre(testing::MatchesRegex("f.yaml:4:[0-9]+: error: the file holds more than 10000 values")));
}

TEST(yaml_reader, limits_the_text_that_aliases_stand_for) {
    auto text_of = [](std::size_t bytes, std::size_t aliases) {
        auto text = "a: &a " + std::string(bytes, 'x') + "\nb:\n";
        for (std::size_t i = 0; i < aliases; ++i) {
            text += "- *a\n";
        }
        return text;
    };
    EXPECT_TRUE(yaml(text_of(500'000, 25)).tree);
    EXPECT_THAT(
        yaml(text_of(900'000, 9'000)).lines,
        ElementsAre("f.yaml:19:3: error: the file holds more than 16 MiB of text, with what its aliases and variables "
                    "stand for"));
    auto keys = "a: &a " + std::string(900'000, 'x') + "\nb:\n";
    for (std::size_t i = 0; i < 9'000; ++i) {
        keys += "- *a : 1\n";
    }
    EXPECT_THAT(yaml(keys).lines, ElementsAre(HasSubstr("f.yaml:19:3: error: the file holds more than 16 MiB")));
    std::string kept; // each anchor keeps all that is below it
    for (int i = 0; i < 60; ++i) {
        kept += "&a" + std::to_string(i) + " [";
    }
    kept += std::string(900'000, 'x') + std::string(60, ']') + "\n";
    EXPECT_THAT(yaml(kept).lines, ElementsAre(HasSubstr("error: the file holds more than 16 MiB")));
}

TEST(yaml_reader, limits_the_depth_that_aliases_make) {
    std::string text;
    for (int i = 0; i < 150; ++i) {
        auto inner = i == 0 ? std::string{"x"} : "*a" + std::to_string(i - 1);
        text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " " + std::string(60, '[') + inner +
                std::string(60, ']') + "\n";
    }
    EXPECT_THAT(yaml(text).lines, ElementsAre("f.yaml:2:69: error: is nested more than 64 levels deep"));
}

TEST(yaml_reader, limits_the_text_that_variables_stand_for) {
    auto env = variables({{"V", std::string(100'000, 'x')}});
    std::string one;
    for (int i = 0; i < 100'000; ++i) {
        one += "${V}";
    }
    EXPECT_THAT(
        yaml("a: " + one + "\n", env).lines, ElementsAre(HasSubstr("f.yaml:1:4: error: the file holds more than")));
    std::string many;
    for (int i = 0; i < 9'000; ++i) {
        many += "- ${V}\n";
    }
    EXPECT_THAT(yaml(many, env).lines, ElementsAre(HasSubstr("f.yaml:168:3: error: the file holds more than 16 MiB")));
}

TEST(yaml_reader, limits_the_number_of_values) {
    auto list_of = [](std::size_t count) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i) {
            text += "- 1\n";
        }
        return text;
    };
    EXPECT_TRUE(yaml(list_of(most_values - 1)).tree);
    EXPECT_FALSE(yaml(list_of(most_values)).tree);
}

TEST(yaml_reader, limits_the_depth_however_it_is_made) {
    auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_TRUE(yaml(nested(most_depth)).tree);
    EXPECT_THAT(
        yaml(nested(most_depth + 1)).lines, ElementsAre("f.yaml:1:65: error: is nested more than 64 levels deep"));
    for (std::string_view piece : {"[", "{", "- ", "? ", "{a: ", "[{", "[a, ", "!a ", "&a ", "*a ", "\n-", "a:\n "}) {
        std::string text;
        while (text.size() + piece.size() < 200'000) {
            text += piece;
        }
        EXPECT_FALSE(yaml(text).tree) << piece;
    }
}

} // namespace leat::config
