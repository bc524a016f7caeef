#include "config/reader.hpp"
#include "routing/rquery_settings.hpp"

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

using testing::HasSubstr;

std::string problems_of(const std::string& yaml) {
    config::problems found;
    auto none = [](std::string_view) { return std::optional<std::string>{}; };
    auto read = config::read_text(yaml, "q.yaml", config::syntax::yaml, none, found);
    if (read) {
        rquery_spec().read(*read, found);
    }
    std::string all;
    for (const auto& each : found.all()) {
        all += to_string(each) + "\n";
    }
    return all;
}

TEST(rquery_settings, the_smallest_file_is_two_lines) {
    EXPECT_EQ(problems_of("in: q\nprefixes: ['article:']\n"), "");
    EXPECT_EQ(rquery_settings{}.concurrency, 100);
}

TEST(rquery_settings, tell_what_is_wrong_and_where) {
    struct {
        const char* yaml;
        const char* told;
    } cases[]{
        {"prefixes: [a]\n", "in"},
        {"in: q\n", "prefixes"},
        {"in: q\nprefixes: []\n", "q.yaml:2:11: error"},
        {"in: q\nprefixes: ['']\n", "q.yaml:2:12: error"},
        {"in: q\nprefixes: [a]\nreply: q\n", "also `in`"},
        {"in: q\nprefixes: [a]\nallow: [eval]\n", "`eval` can never be allowed"},
        {"in: q\nprefixes: [a]\nallow: [hsett]\n", "did you mean hset?"},
        {"in: q\nprefixes: [a]\nallow: [SORT]\n", "`SORT` can never be allowed"},
        {"in: q\nprefixes: [a]\nallow: [get]\n", "q.yaml:3:9: warning: `get` only reads"},
        {"in: q\nprefixes: [a]\nmaxBytes: 5000000\n", "maxBytes"},
        {"in: q\nprefixes: [a]\ntimeout: 0\n", "timeout"},
        {"in: q\nprefixes: [a]\nmaxcommands: 1\n", "did you mean maxCommands?"},
    };
    for (const auto& each : cases) {
        EXPECT_THAT(problems_of(each.yaml), HasSubstr(each.told)) << each.yaml;
    }
}

TEST(rquery_settings, queries_that_write_cannot_reach_what_the_service_lives_on) {
    for (const auto* prefix : {"shop:", "shop:q", "shop:q:pending:1", "shop:q:dead:", "s"}) {
        auto yaml = std::string{"in: shop:q\nprefixes: [x, '"} + prefix + "']\n";
        EXPECT_EQ(problems_of(yaml), "") << prefix;
        EXPECT_THAT(problems_of(yaml + "allow: [del]\n"), HasSubstr("q.yaml:2:15: error: `")) << prefix;
    }
    for (const auto* prefix : {"article:", "shop:p", "shop:q:more:", "shop:q:pendings"}) {
        auto yaml = std::string{"in: shop:q\nallow: [del]\nprefixes: ['"} + prefix + "']\n";
        EXPECT_EQ(problems_of(yaml), "") << prefix;
    }
    EXPECT_THAT(
        problems_of("in: q\nallow: [del]\nserviceNamespace: shop\nprefixes: ['shop:']\n"), HasSubstr("shop:service:"));
    EXPECT_EQ(problems_of("in: q\nallow: [del]\nserviceNamespace: shop\nprefixes: ['shop:article:']\n"), "");
}

TEST(own_keys, are_known) {
    rquery_settings settings;
    settings.in = "q";
    settings.service_namespace = "ns";
    auto own = own_keys_of(settings);
    for (const auto* each : {"q", "q:dead", "q:dead:story", "q:pending:1", "q:pending:owners", "ns:message:done"}) {
        EXPECT_TRUE(own.hold(each)) << each;
    }
    for (const auto* each : {"", "qq", "q:pending", "q:answers", "ns", "ns:other"}) {
        EXPECT_FALSE(own.hold(each)) << each;
    }
}

} // namespace
} // namespace leat::routing
