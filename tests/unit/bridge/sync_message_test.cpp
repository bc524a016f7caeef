#include "bridge/sync_message.hpp"

#include <gtest/gtest.h>

namespace leat::bridge {
namespace {

TEST(sync_message, a_status_has_its_name_and_the_name_its_status) {
    for (const auto* each : {"WAITING", "PENDING", "SENT", "AWAITED", "CANCEL"}) {
        auto read = read_message_status(each);
        ASSERT_TRUE(read) << each;
        EXPECT_EQ(to_string(*read), each);
    }
    for (const auto* each : {"", "sent", "CLOSED", "SENT "}) {
        EXPECT_FALSE(read_message_status(each)) << each;
    }
}

TEST(sync_message, a_task_item_comes_back_as_it_was_written) {
    task_item whole{
        .task_id = "t\"1\"",
        .task_group = "g\\",
        .ts_input = 1'700'000'000'000,
        .ts_output = -1,
        .time_in_queue = 25'000,
        .message_options = R"({"to": [1.10, null], "big":123456789012345678901234567890})",
        .corr = "\xc3\xbc\n"};
    auto text = to_json(whole);
    auto read = read_task_item(text);
    EXPECT_EQ(read.task_id, whole.task_id);
    EXPECT_EQ(read.task_group, whole.task_group);
    EXPECT_EQ(read.ts_input, whole.ts_input);
    EXPECT_EQ(read.ts_output, whole.ts_output);
    EXPECT_EQ(read.time_in_queue, whole.time_in_queue);
    EXPECT_EQ(read.message_options, whole.message_options) << "as it was given, to the digit";
    EXPECT_EQ(read.corr, whole.corr);
    EXPECT_EQ(to_json(read), text);
}

TEST(sync_message, a_task_item_has_only_what_it_was_given) {
    EXPECT_EQ(to_json({}), "{}");
    task_item one;
    one.corr = "c";
    EXPECT_EQ(to_json(one), R"({"corr":"c"})");
    one.message_options = "[]";
    one.ts_input = 5;
    EXPECT_EQ(to_json(one), R"({"tsInput":5,"corr":"c","messageOptions":[]})");
    EXPECT_EQ(to_json(read_task_item("{}")), "{}");
}

TEST(sync_message, what_is_no_task_item_is_all_options) {
    for (const auto* each : {"", "plain", "[1]", "7", "{"}) {
        EXPECT_EQ(read_task_item(each).message_options, each);
    }
    auto odd = read_task_item(R"({"taskId":1,"tsInput":"soon","corr":null,"messageOptions":0})");
    EXPECT_EQ(odd.task_id, "");
    EXPECT_EQ(odd.ts_input, 0);
    EXPECT_EQ(odd.message_options, "0");
}

TEST(sync_message, is_read_from_the_fields_of_a_response) {
    auto read = message_of(
        {{"conversationId", "c"},
         {"origin", "o"},
         {"requestId", "r"},
         {"responseId", "a"},
         {"requestTimestamp", "1700000000000"},
         {"responseTimestamp", "1700000000012"},
         {"status", "SENT"},
         {"expiresAtTS", "1700000900"},
         {"awaitedToDateTS", "1700000030"},
         {"awaitedRetries", "2"},
         {"sentAttempt", "3"},
         {"lastAccess", "1700000000500"},
         {"asyncResponseId", "n"},
         {"taskItem", "{}"},
         {"reason", "ours"}});
    EXPECT_EQ(read.min_info(), (min_message_info{"r", "a", "c"}));
    EXPECT_EQ(read.origin, "o");
    EXPECT_EQ(read.request_timestamp, 1'700'000'000'000);
    EXPECT_EQ(read.response_timestamp, 1'700'000'000'012);
    EXPECT_EQ(read.status, message_status::sent);
    EXPECT_EQ(read.expires_at_ts, 1'700'000'900);
    EXPECT_EQ(read.awaited_to_date_ts, 1'700'000'030);
    EXPECT_EQ(read.awaited_retries, 2);
    EXPECT_EQ(read.sent_attempt, 3);
    EXPECT_EQ(read.last_access, 1'700'000'000'500);
    EXPECT_EQ(read.async_response_id, "n");
    EXPECT_EQ(read.task_item, "{}");
}

TEST(sync_message, both_names_of_the_counter_are_read_and_ours_wins) {
    EXPECT_EQ(message_of({{"requestIdCounter", "3"}}).response_id_counter, 3);
    EXPECT_EQ(message_of({{"responseIdCounter", "4"}}).response_id_counter, 4);
    EXPECT_EQ(message_of({{"responseIdCounter", "4"}, {"requestIdCounter", "3"}}).response_id_counter, 4);
    EXPECT_EQ(message_of({}).response_id_counter, 0);
}

TEST(sync_message, fields_that_are_none_count_as_missing) {
    auto read = message_of({{"status", "what"}, {"awaitedRetries", "many"}});
    EXPECT_EQ(read.status, message_status::waiting);
    EXPECT_EQ(read.awaited_retries, 0);
}

} // namespace
} // namespace leat::bridge
