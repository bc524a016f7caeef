#include "redis/backoff.hpp"
#include "redis/failure.hpp"

#include <gtest/gtest.h>

namespace leat::redis {
namespace {

TEST(classify, knows_the_errors_of_redis) {
    struct {
        const char* text;
        error_class kind;
    } cases[]{
        {"LOADING Redis is loading the dataset in memory", error_class::retry},
        {"BUSY Redis is busy running a script.", error_class::retry},
        {"UNBLOCKED force unblock from blocking operation, instance state changed", error_class::retry},
        {"MASTERDOWN Link with MASTER is down", error_class::retry},
        {"CLUSTERDOWN The cluster is down", error_class::retry},
        {"TRYAGAIN Multiple keys request during rehashing of slot", error_class::retry},
        {"ERR max number of clients reached", error_class::retry},
        {"READONLY You can't write against a read only replica.", error_class::find_server},
        {"MOVED 3999 127.0.0.1:6381", error_class::find_server},
        {"ASK 3999 127.0.0.1:6381", error_class::find_server},
        {"OOM command not allowed when used memory > 'maxmemory'.", error_class::pause_intake},
        {"MISCONF Redis is configured to save RDB snapshots", error_class::pause_intake},
        {"NOREPLICAS Not enough good replicas to write.", error_class::pause_intake},
        {"WRONGTYPE Operation against a key holding the wrong kind of value key=out1", error_class::await_repair},
        {"ERR something nobody has seen before", error_class::await_repair},
        {"NOSCRIPT No matching script.", error_class::no_script},
        {"NOAUTH Authentication required.", error_class::stop},
        {"WRONGPASS invalid username-password pair", error_class::stop},
        {"NOPERM this user may not LPUSH key=out0", error_class::stop},
        {"ERR ACL failure in script: User bob has no permissions to run the 'lpush' command", error_class::stop},
        {"ERR The user executing the script can't run this command or subcommand", error_class::stop},
        {"ERR DB index is out of range", error_class::stop},
        {"", error_class::await_repair},
    };
    for (const auto& each : cases) {
        EXPECT_EQ(to_string(classify(each.text)), to_string(each.kind)) << each.text;
    }
}

TEST(backoff, doubles_up_to_its_limit_and_never_waits_less_than_half) {
    backoff pause{std::chrono::milliseconds{100}, std::chrono::milliseconds{800}};
    for (int expected : {100, 200, 400, 800, 800, 800}) {
        auto wait = pause.next().count();
        EXPECT_GE(wait, expected / 2);
        EXPECT_LE(wait, expected);
    }
    pause.reset();
    EXPECT_LE(pause.next().count(), 100);
}

TEST(backoff, two_clients_do_not_stay_in_step) {
    backoff one{std::chrono::milliseconds{100000}};
    backoff other{std::chrono::milliseconds{100000}};
    int same = 0;
    for (int i = 0; i < 20; ++i) {
        same += one.next() == other.next() ? 1 : 0;
    }
    EXPECT_LT(same, 20);
}

} // namespace
} // namespace leat::redis
