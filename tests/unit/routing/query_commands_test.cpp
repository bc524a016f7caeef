#include "routing/query_commands.hpp"

#include <gmock/gmock.h>

#include <set>

namespace leat::routing {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(query_commands, are_found_whatever_their_case) {
    ASSERT_NE(find_query_command("hget"), nullptr);
    EXPECT_EQ(find_query_command("HGET"), find_query_command("hGet"));
    EXPECT_FALSE(find_query_command("hget")->writes);
    EXPECT_TRUE(find_query_command("SET")->writes);
    EXPECT_TRUE(find_query_command("hgetall")->is_map);
}

TEST(query_commands, nothing_that_reaches_beyond_its_keys_is_among_them) {
    for (const auto* each :
         {"",          "ge",      "gett",      "get ",       "eval",        "evalsha",     "fcall",   "flushall",
          "flushdb",   "config",  "keys",      "scan",       "sscan",       "sort",        "sort_ro", "multi",
          "exec",      "watch",   "subscribe", "psubscribe", "publish",     "blpop",       "brpop",   "blmove",
          "bzpopmin",  "xread",   "wait",      "client",     "debug",       "shutdown",    "save",    "bgsave",
          "replicaof", "migrate", "restore",   "dump",       "copy",        "move",        "select",  "swapdb",
          "auth",      "acl",     "hello",     "reset",      "quit",        "monitor",     "script",  "function",
          "object",    "memory",  "georadius", "zunion",     "zinterstore", "zrangestore", "lmpop",   "randomkey",
          "module",    "cluster", "info",      "command",    "latency",     "slowlog",     "pfcount", "lcs",
          "setrange",  "setbit",  "bitfield",  "bitop"}) {
        EXPECT_EQ(find_query_command(each), nullptr) << each;
    }
    EXPECT_EQ(find_query_command(std::string_view{"get\0", 4}), nullptr);
    EXPECT_EQ(find_query_command("\xff"), nullptr);
}

TEST(query_commands, have_one_row_each) {
    auto reads = query_command_names(false);
    auto writes = query_command_names(true);
    std::set<std::string> all{reads.begin(), reads.end()};
    all.insert(writes.begin(), writes.end());
    EXPECT_EQ(all.size(), reads.size() + writes.size());
    EXPECT_TRUE(all.contains("zrange"));
    EXPECT_TRUE(all.contains("zadd"));
}

TEST(key_places, are_where_the_keys_are) {
    auto places = [](const char* name, std::size_t words) { return key_places(*find_query_command(name), words); };
    EXPECT_THAT(places("get", 2), ElementsAre(1));
    EXPECT_THAT(places("hset", 4), ElementsAre(1));
    EXPECT_THAT(places("mget", 4), ElementsAre(1, 2, 3));
    EXPECT_THAT(places("sinter", 3), ElementsAre(1, 2));
    EXPECT_THAT(places("mset", 5), ElementsAre(1, 3));
    EXPECT_THAT(places("mset", 6), ElementsAre(1, 3, 5));
    EXPECT_THAT(places("rename", 3), ElementsAre(1, 2));
    EXPECT_THAT(places("lmove", 5), ElementsAre(1, 2));
    EXPECT_THAT(places("rename", 2), ElementsAre(1));
    EXPECT_THAT(places("get", 1), IsEmpty());
    EXPECT_THAT(places("mget", 0), IsEmpty());
}

} // namespace
} // namespace leat::routing
