#include "config/reader.hpp"
#include "movers/mpush_settings.hpp"
#include "store/transfer.hpp"

#include <gmock/gmock.h>

namespace leat::movers {
namespace {

using testing::HasSubstr;

TEST(batch_bounds, hold_redis_for_a_few_milliseconds_whatever_the_number_of_outs) {
    EXPECT_EQ(store::bounds_for(1).count, 1000);
    EXPECT_EQ(store::bounds_for(2).count, 1000);
    EXPECT_EQ(store::bounds_for(8).count, 333);
    EXPECT_EQ(store::bounds_for(1000).count, 10);
    EXPECT_LE(store::bounds_for(100).bytes * 101, 4 << 20);
}

std::string problems_of(const std::string& yaml) {
    config::problems found;
    auto none = [](std::string_view) { return std::optional<std::string>{}; };
    auto read = config::read_text(yaml, "m.yaml", config::syntax::yaml, none, found);
    if (read) {
        mpush_spec().read(*read, found);
    }
    std::string all;
    for (const auto& each : found.all()) {
        all += to_string(each) + "\n";
    }
    return all;
}

TEST(mpush_settings, the_smallest_file_is_two_lines) {
    EXPECT_EQ(problems_of("in: a\nout: [b]\n"), "");
}

TEST(mpush_settings, pending_is_no_problem) {
    EXPECT_EQ(problems_of("in: a\nout: [b]\npending: c\n"), "");
}

TEST(mpush_settings, tell_what_is_wrong_and_where) {
    struct {
        const char* yaml;
        const char* told;
    } cases[]{
        {"out: [b]\n", "in"},
        {"in: a\n", "out"},
        {"in: a\nout: []\n", "m.yaml:2:6: error"},
        {"in: a\nout: [b, c, b]\n", "m.yaml:2:13: error"},
        {"in: a\nout: [b, a]\n", "m.yaml:2:10: error: `a` is also `in`"},
        {"in: a\nout: [b]\npending: a\n", "m.yaml:3:10: error: `a` is also `in`"},
        {"in: a\nout: [b]\npending: b\n", "m.yaml:3:10: error: `b` is also one of `out`"},
        {"in: a\nout: [b]\npopTimeout: 0\n", "m.yaml:3:13: error"},
        {"in: a\nout: [b]\npopTimeout: 31\n", "30"},
        {"in: a\nout: [b]\npopTimout: 3\n", "did you mean popTimeout?"},
        {"in: a\nout: [b]\nredis: http://x\n", "m.yaml:3:8: error"},
        {"in: a\nout: [b]\nmessageTimeout: 5\n", "m.yaml:3"},
        {"in: a\nout: [b]\nserviceNamespace: n\nmessageTimeout: 60\n", "messageTimeout (60)"},
        {"in: a\nout: [b]\nserviceNamespace: n\nserviceRenew: 21\n", "a third of serviceExpire (60)"},
        {"in: ''\nout: [b]\n", "m.yaml:1:5: error"},
    };
    for (const auto& each : cases) {
        EXPECT_THAT(problems_of(each.yaml), HasSubstr(each.told)) << each.yaml;
    }
}

TEST(mpush_settings, an_unknown_setting_does_not_hide_the_other_problems) {
    auto told = problems_of("in: a\nout: [a]\nserviceNamespace: n\nserviceRenew: 21\nfoo: 1\n");
    EXPECT_THAT(told, HasSubstr("m.yaml:5:1: error: unknown setting foo"));
    EXPECT_THAT(told, HasSubstr("is also `in`"));
    EXPECT_THAT(told, HasSubstr("a third of serviceExpire"));
}

TEST(mpush_settings, a_bad_url_keeps_its_secret) {
    EXPECT_THAT(problems_of("in: a\nout: [b]\nredis: redis://u:secret@h/x\n"), testing::Not(HasSubstr("secret")));
}

TEST(mpush_settings, every_example_is_clean) {
    for (const auto& each : mpush_spec().examples()) {
        EXPECT_EQ(problems_of(each.text), "") << each.title;
    }
}

} // namespace
} // namespace leat::movers
