#include "config/reader.hpp"
#include "routing/route_config.hpp"
#include "routing/routing.hpp"

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using texts = std::vector<std::string>;

const processor_table known{processors()};

texts problems_of(const std::string& yaml) {
    config::problems found;
    auto none = [](std::string_view) -> std::optional<std::string> { return std::nullopt; };
    auto read = config::read_text(yaml, "r.yaml", config::syntax::yaml, none, found);
    read_configs(read.value(), known, found);
    texts told;
    for (const auto& each : found.all()) {
        told.push_back(config::to_string(each));
    }
    return told;
}

const std::string import = "RedisImporter.a:\n  queue: {in: in}\n  timeout: 5\n  route: ";

TEST(route_config, a_map_or_a_list) {
    EXPECT_THAT(problems_of(import + "[RedisExporter.b]\nRedisExporter.b: {queue: {out: o}}\n"), IsEmpty());
    EXPECT_THAT(
        problems_of(
            "- {processorName: RedisImporter.a, queue: {in: in}, timeout: 5, route: [exporter.RedisExporter.b]}\n"
            "- {processorName: exporter.RedisExporter.b, queue: {out: o}}\n"),
        IsEmpty());
    EXPECT_THAT(problems_of("5"), ElementsAre(HasSubstr("expected a map or a list of processors")));
    EXPECT_THAT(
        problems_of("- {queue: {out: o}}"),
        testing::Contains(HasSubstr("r.yaml:1:3: error: expected a map of settings with processorName")));
}

TEST(route_config, an_unknown_processor_is_told_with_its_place_and_the_nearest) {
    EXPECT_THAT(
        problems_of(import + "[RedisExportr.b]\nRedisExporter.b: {queue: {out: o}}\n"),
        testing::Contains(
            "r.yaml:4:11: error: route: unknown processor RedisExportr.b; did you mean RedisExporter.b?"));
}

TEST(route_config, an_unknown_type_is_told) {
    EXPECT_THAT(
        problems_of(import + "[RedisExportr.b]\nRedisExportr.b: {queue: {out: o}}\n"),
        testing::Contains("r.yaml:5:1: error: unknown type of processor RedisExportr in RedisExportr.b; did you mean "
                          "RedisExporter?"));
    EXPECT_THAT(
        problems_of("RedisExporter: {queue: {out: o}}\n"),
        testing::Contains(HasSubstr("RedisExporter names a type; a processor has an instance behind it")));
}

TEST(route_config, a_route_ends_somewhere) {
    EXPECT_THAT(
        problems_of(import + "[ExpiredFilter.b]\nExpiredFilter.b: {}\n"),
        ElementsAre(HasSubstr("r.yaml:4:11: error: route: it ends nowhere: ExpiredFilter.b passes messages on")));
    EXPECT_THAT(
        problems_of(
            import + "[RedisExporter.b, ExpiredFilter.c]\nRedisExporter.b: {queue: {out: o}}\nExpiredFilter.c: {}\n"),
        testing::Contains(HasSubstr("route: nothing comes here, RedisExporter.b before it passes nothing on")));
    EXPECT_THAT(
        problems_of(import + "[RedisImporter.a]\n"),
        testing::Contains(HasSubstr("RedisImporter.a is an importer, and nothing leads to it")));
}

TEST(route_config, a_route_does_not_go_round) {
    EXPECT_THAT(
        problems_of(
            import + "[regexpRouter.b]\n"
                     "regexpRouter.b: {rules: [{match: all, route: [ExpiredFilter.d, regexpRouter.c]}]}\n"
                     "regexpRouter.c: {rules: [{match: all, route: [regexpRouter.b]}]}\n"
                     "ExpiredFilter.d: {}\n"),
        ElementsAre(
            "r.yaml:5:1: error: messages go round for ever: regexpRouter.b -> regexpRouter.c -> regexpRouter.b"));
}

TEST(route_config, what_no_route_leads_to_is_told) {
    EXPECT_THAT(
        problems_of(
            import + "[RedisExporter.b]\nRedisExporter.b: {queue: {out: o}}\nRedisExporter.c: {queue: {out: o}}\n"),
        ElementsAre("r.yaml:6:1: warning: no route leads to RedisExporter.c"));
    EXPECT_THAT(
        problems_of("RedisExporter.b: {queue: {out: o}}\n"), testing::Contains(HasSubstr("there is no importer")));
}

TEST(route_config, an_exporter_takes_nothing) {
    EXPECT_THAT(
        problems_of(
            import + "[RedisExporter.b]\nRedisExporter.b: {queue: {out: o, in: i}, route: [RedisExporter.b]}\n"),
        testing::IsSupersetOf(
            {HasSubstr("r.yaml:5:35: error: RedisExporter.b is an exporter: it takes nothing, so it has no queue.in"),
             HasSubstr("RedisExporter.b is an exporter: a route ends with it, so it has none")}));
}

TEST(route_config, a_rule_is_checked) {
    auto rule = [](const std::string& text) {
        return problems_of(
            import + "[regexpRouter.b]\nregexpRouter.b: {rules: [" + text + "]}\nRedisExporter.c: {queue: {out: o}}\n");
    };
    EXPECT_THAT(
        rule("{regexp: '(', route: [RedisExporter.c]}"), testing::Contains(HasSubstr("is no regular expression")));
    EXPECT_THAT(rule("{match: some, route: [RedisExporter.c]}"), testing::Contains(HasSubstr("match")));
    EXPECT_THAT(rule("{regexp: a}"), testing::Contains(HasSubstr("either a route, or a response")));
    EXPECT_THAT(rule("{route: [RedisExporter.c]}"), testing::Contains(HasSubstr("either regexp, or `match: all`")));
    EXPECT_THAT(rule("{regexp: a, rout: [RedisExporter.c]}"), testing::Contains(HasSubstr("did you mean route")));
    EXPECT_THAT(
        rule("{regexp: a, route: [RedisExporter.d]}"),
        testing::Contains(HasSubstr("unknown processor RedisExporter.d")));
}

TEST(route_config, every_example_of_the_reference_passes_its_own_check) {
    auto none = [](std::string_view) -> std::optional<std::string> { return std::nullopt; };
    for (const auto& type : known) {
        EXPECT_FALSE(type.spec->examples().empty()) << type.spec->name();
        for (const auto& each : type.spec->examples()) {
            config::problems found;
            auto read = config::read_text(each.text, "example", config::syntax::yaml, none, found);
            EXPECT_TRUE(type.spec->lint(read.value(), found)) << type.spec->name() << ": " << each.title;
            EXPECT_TRUE(found.empty());
        }
    }
}

TEST(route_config, names) {
    EXPECT_EQ(known.find("RateLimitFilter.singleton")->spec->name(), "RateLimitFilter");
    EXPECT_EQ(known.find("filter.RateLimitFilter.x")->spec->name(), "RateLimitFilter");
    for (const auto* wrong : {"", ".", "RateLimitFilter", "RateLimitFilter.", "Rate.x", "RateLimitFilter.a.b"}) {
        EXPECT_EQ(known.find(wrong), nullptr) << wrong;
    }
}

} // namespace
} // namespace leat::routing
