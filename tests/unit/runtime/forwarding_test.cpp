#include "runtime/forwarding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leat::runtime {
namespace {

using testing::ElementsAre;

struct given {
    std::string name;
    std::string in;
    std::vector<std::string> outs;
    std::string server = "redis://localhost:6379/0";
};

std::vector<std::string> lines_for(const std::vector<given>& services) {
    std::vector<declared_forwarding> all;
    int line = 0;
    for (const auto& each : services) {
        all.push_back({each.name, {"f.yaml", ++line, 3}, {each.server, each.in, each.outs}});
    }
    config::problems found;
    check_cycles(all, found);
    std::vector<std::string> lines;
    for (const auto& each : found.all()) {
        lines.push_back(config::to_string(each));
    }
    return lines;
}

std::string closes(int line, const std::string& name, const std::string& way) {
    return "f.yaml:" + std::to_string(line) + ":3: error: service " + name +
           " closes a cycle in which every message comes back for ever: " + way;
}

TEST(forwarding, a_cycle_of_two_movers_is_told_where_it_closes) {
    EXPECT_THAT(
        lines_for({{"there", "a", {"b", "c"}}, {"back", "b", {"d", "a"}}}),
        ElementsAre(closes(2, "back", "`b` -> `a` (back), `a` -> `b` (there)")));
}

TEST(forwarding, a_cycle_of_many_is_told_in_its_order_whatever_theirs) {
    EXPECT_THAT(
        lines_for({{"three", "c", {"d"}}, {"one", "a", {"x", "b"}}, {"four", "d", {"y", "a"}}, {"two", "b", {"c"}}}),
        ElementsAre(closes(4, "two", "`b` -> `c` (two), `c` -> `d` (three), `d` -> `a` (four), `a` -> `b` (one)")));
}

TEST(forwarding, a_queue_that_feeds_itself_is_a_cycle) {
    EXPECT_THAT(lines_for({{"one", "a", {"b", "a"}}}), ElementsAre(closes(1, "one", "`a` -> `a` (one)")));
}

TEST(forwarding, each_service_that_closes_one_is_told) {
    EXPECT_THAT(
        lines_for({{"one", "a", {"b"}}, {"two", "b", {"a"}}, {"three", "b", {"a"}}}),
        ElementsAre(
            closes(2, "two", "`b` -> `a` (two), `a` -> `b` (one)"),
            closes(3, "three", "`b` -> `a` (three), `a` -> `b` (one)")));
}

TEST(forwarding, chains_replicas_and_ways_that_meet_are_none) {
    EXPECT_THAT(
        lines_for({{"one", "a", {"b", "c"}}, {"again", "a", {"b", "c"}}, {"two", "b", {"d"}}, {"three", "c", {"d"}}}),
        ElementsAre());
    EXPECT_THAT(lines_for({}), ElementsAre());
}

TEST(forwarding, the_same_names_on_other_servers_are_other_queues) {
    auto back = [](std::string server) {
        return lines_for({{"there", "a", {"b"}}, {"back", "b", {"a"}, std::move(server)}}).size();
    };
    for (const auto* other :
         {"redis://localhost:6379/1", "redis://localhost:6380", "redis://host", "unix:///tmp/s.sock",
          "redis+sentinel://localhost/main", "no url"}) {
        EXPECT_EQ(back(other), 0U) << other;
    }
    for (const auto* same : {"redis://localhost", "redis://bob:pw@127.0.0.1:6379/0", "redis://[::1]:6379"}) {
        EXPECT_EQ(back(same), 1U) << same;
    }
}

TEST(forwarding, many_services_are_checked_at_once) {
    std::vector<given> chain;
    for (int i = 0; i < 1000; ++i) {
        chain.push_back({"s" + std::to_string(i), "q" + std::to_string(i), {"q" + std::to_string(i + 1)}});
    }
    chain.push_back({"last", "q1000", {"q0"}});
    EXPECT_EQ(lines_for(chain).size(), 1U);
}

} // namespace
} // namespace leat::runtime
