#include "store/keys.hpp"
#include "store/queues.hpp"
#include "store/settlement.hpp"

#include <gmock/gmock.h>

namespace leat::store {
namespace {

TEST(keys, beside_a_queue_are_known_as_such) {
    EXPECT_EQ(pending_beside("in"), "in:pending");
    EXPECT_EQ(dead_beside("in"), "in:dead");
    EXPECT_EQ(error_beside("in"), "in:error");
    EXPECT_EQ(answers_beside("work"), "work:answers");
    EXPECT_EQ(replies_beside("in"), "in:reply:");
    for (const auto& name : {pending_beside("in"), dead_beside("in"), replies_beside("in") + "1"}) {
        EXPECT_TRUE(is_beside_a_queue(name)) << name;
    }
}

TEST(keys, of_what_is_in_flight_are_below_pending) {
    taking_keys keys{"in:pending"};
    EXPECT_EQ(keys.hand(7), keys.hand("7"));
    for (const auto& key : {keys.hand(7), keys.lease(7), keys.owners(), keys.delayed(), keys.counter()}) {
        EXPECT_TRUE(key.starts_with(keys.below())) << key;
    }
}

TEST(keys, of_an_origin_are_below_out) {
    EXPECT_EQ(bridge_keys::origin_list("out", "web"), "out:web");
    EXPECT_EQ(bridge_keys::origin_lists("out"), "out:");
}

TEST(keys, a_report_names_its_out) {
    EXPECT_EQ(report_of("7", ""), "7");
    EXPECT_EQ(report_of("7", "out0"), "7:out0");
}

TEST(keys, the_name_of_a_large_message_tells_its_size) {
    EXPECT_EQ(size_of_large(name_of_large(std::string(70'000, 'x'))), 70'000);
}

} // namespace
} // namespace leat::store
