#include "config/problem.hpp"

#include <gtest/gtest.h>

namespace leat::config {

TEST(problems, are_told_on_one_line_each) {
    problems found;
    EXPECT_TRUE(found.empty());
    found.warning({"a.yaml", 1, 2}, "odd");
    EXPECT_FALSE(found.any_errors());
    found.error({"--in"}, "bad");
    EXPECT_TRUE(found.any_errors());
    EXPECT_EQ(to_string(found.all()[0]), "a.yaml:1:2: warning: odd");
    EXPECT_EQ(to_string(found.all()[1]), "--in: error: bad");
}

TEST(nearest_name, forgives_slips_but_does_not_guess) {
    const std::vector<std::string> names{"popTimeout", "in", "out", "redis", "serviceNamespace"};
    const std::pair<const char*, std::optional<std::string>> cases[] = {
        {"popTimout", "popTimeout"},
        {"poptimeout", "popTimeout"},
        {"POPTIMEOUT", "popTimeout"},
        {"reids", "redis"},
        {"serviceNameSpce", "serviceNamespace"},
        {"ou", "out"},
        {"banana", std::nullopt},
        {"", std::nullopt},
        {"x", std::nullopt},
        {"zzzz", std::nullopt},
    };
    for (const auto& [word, expected] : cases) {
        EXPECT_EQ(nearest(word, names), expected) << word;
    }
    EXPECT_EQ(nearest(std::string(100'000, 'a'), names), std::nullopt);
    EXPECT_EQ(did_you_mean("popTimout", names), "; did you mean popTimeout?");
    EXPECT_EQ(did_you_mean("banana", names), "");
}

} // namespace leat::config
