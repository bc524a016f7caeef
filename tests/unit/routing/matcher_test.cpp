#include "routing/matcher.hpp"

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

TEST(matcher, brings_answers_in_any_order) {
    matcher waiting{"i"};
    std::vector<std::string> seen;
    auto note = [&seen](message::answer given) { seen.push_back(given.id + given.body); };
    auto one = waiting.expect(note);
    auto two = waiting.expect(note);
    EXPECT_EQ(waiting.take({two, "b", {}}), matcher::match::answered);
    EXPECT_EQ(waiting.take({one, "a", {}}), matcher::match::answered);
    EXPECT_THAT(seen, testing::ElementsAre(two + "b", one + "a"));
    EXPECT_EQ(waiting.size(), 0U);
}

TEST(matcher, tells_late_from_unknown) {
    matcher waiting{"i"};
    auto id = waiting.expect([](message::answer) {});
    auto forgotten = waiting.expect([](message::answer) {});
    waiting.forget(forgotten);
    EXPECT_EQ(waiting.take({id, "", {}}), matcher::match::answered);
    EXPECT_EQ(waiting.take({id, "", {}}), matcher::match::late);
    EXPECT_EQ(waiting.take({forgotten, "", {}}), matcher::match::late);
    for (const auto* unknown : {"", "i", "i-", "i-0", "i-3", "i-1x", "j-1", "i-99999999999999999999999"}) {
        EXPECT_EQ(waiting.take({unknown, "", {}}), matcher::match::unknown) << unknown;
    }
}

TEST(matcher, an_answer_may_ask_again) {
    matcher waiting{"i"};
    std::string second;
    auto first = waiting.expect([&](message::answer) { second = waiting.expect([](message::answer) {}); });
    EXPECT_EQ(waiting.take({first, "", {}}), matcher::match::answered);
    EXPECT_TRUE(waiting.expects(second));
}

} // namespace
} // namespace leat::routing
