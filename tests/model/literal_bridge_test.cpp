#include "model/literal_bridge.hpp"
#include "support/bridge_case.hpp"

#include <gmock/gmock.h>

namespace leat::tests {
namespace {

using testing::ElementsAre;

// Each situation twice: the document's own algorithm breaks its promise in it, ours keeps it. When one of the first
// halves fails, the tests of the promises prove nothing any more.
class literal_control : public testing::Test {
protected:
    clocked_server server;
    literal_bridge literal{server};
    bridge_user ours{server};
    std::int64_t now = server.now();

    void begin_anew() { ours.redis.call({"FLUSHALL"}); }

    std::vector<std::string> deliver_ours() {
        std::vector<std::string> seen;
        while (!ours.claims.empty()) {
            auto next = ours.claim();
            seen.push_back(next.ids.response_id);
            ours.complete(next);
        }
        return seen;
    }
};

TEST_F(literal_control, h2_replies_around_a_multiple_of_ten_seconds) {
    literal.request("c", "A", now);
    literal.respond("c", "A", "A1", now + 9'999);
    literal.respond("c", "A", "A2", now + 10'001);
    EXPECT_FALSE(literal.can_send("c", "A", "A1"));
    EXPECT_TRUE(literal.can_send("c", "A", "A2")) << "the second goes first";

    begin_anew();
    ours.request("c", "A", now);
    server.advance(9'999);
    ours.respond("c", "A", "A1");
    server.advance(2);
    ours.respond("c", "A", "A2");
    EXPECT_THAT(deliver_ours(), ElementsAre("A1", "A2"));
}

TEST_F(literal_control, h3_two_clocks_that_differ_by_200_ms) {
    literal.request("c", "A", now + 300);
    literal.request("c", "B", now + 100);
    literal.respond("c", "A", "A1", now + 400);
    literal.respond("c", "B", "B1", now + 400);
    for (int i = 0; i < 9; ++i) {
        EXPECT_FALSE(literal.can_send("c", "A", "A1") || literal.can_send("c", "B", "B1"))
            << "each waits for the other";
        server.advance(1'000);
    }

    begin_anew();
    ours.request("c", "A", now + 300);
    ours.request("c", "B", now + 100);
    ours.respond("c", "A", "A1");
    ours.respond("c", "B", "B1");
    EXPECT_THAT(deliver_ours(), ElementsAre("A1", "B1"));
}

TEST_F(literal_control, h4_a_request_that_nobody_answers_and_a_user_who_goes_on_writing) {
    literal.request("c", "A", now);
    for (int i = 0; i < 20; ++i) {
        server.advance(9'000);
        literal.request("c", "B" + std::to_string(i), server.now());
    }
    literal.respond("c", "B19", "B191", server.now());
    EXPECT_FALSE(literal.can_send("c", "B19", "B191")) << "three minutes after A has died, everything waits for it";

    begin_anew();
    ours.request("c", "A");
    for (int i = 0; i < 20; ++i) {
        server.advance(9'000);
        ours.request("c", "B" + std::to_string(i));
    }
    ours.respond("c", "B19", "B191");
    server.advance(1'001); // B18 had ten seconds
    ours.collect();
    EXPECT_THAT(deliver_ours(), ElementsAre("B191"));
}

TEST_F(literal_control, h7_a_retry_after_ten_quiet_seconds) {
    literal.request("c", "A", now);
    literal.respond("c", "A", "A1", now);
    server.advance(30'001); // the date of its retry
    EXPECT_THAT(literal.collect(), testing::IsEmpty()) << "the whole set of retries has expired";

    begin_anew();
    ours.request("c", "A");
    ours.respond("c", "A", "A1");
    ours.complete(ours.claim(), store::bridge_sending::recoverable, "503");
    server.advance(30'001);
    ours.collect();
    EXPECT_THAT(deliver_ours(), ElementsAre("A1"));
}

TEST_F(literal_control, h10_an_instance_that_stands_still_between_asking_and_sending) {
    std::vector<std::string> client;
    literal.request("c", "A", now);
    literal.request("c", "B", now + 1);
    literal.respond("c", "A", "A1", now);
    ASSERT_TRUE(literal.can_send("c", "A", "A1")); // the first instance asks, and stands still
    server.advance(9'000);                         // (within the lives that the tables give)
    ASSERT_TRUE(literal.can_send("c", "A", "A1")); // the second may, too
    client.emplace_back("A1");
    literal.remove("c", "A", "A1");
    literal.respond("c", "B", "B1", server.now());
    ASSERT_TRUE(literal.can_send("c", "B", "B1"));
    client.emplace_back("B1");
    client.emplace_back("A1"); // the first goes on
    EXPECT_THAT(client, ElementsAre("A1", "B1", "A1")) << "twice, and out of order";

    begin_anew();
    ours.request("c", "A");
    ours.request("c", "B");
    ours.respond("c", "A", "A1");
    auto stands_still = ours.claim();
    ours.setup.owner = "two";
    server.advance(9'000);
    ours.collect();
    EXPECT_TRUE(ours.claims.empty()) << "nobody else may";
    server.advance(21'001); // past its deadline, which is before the end of its lease: it will not send any more
    ours.collect();
    ours.respond("c", "B", "B1");
    EXPECT_THAT(deliver_ours(), ElementsAre("A1", "B1"));
    EXPECT_EQ(ours.complete(stands_still), store::bridge_state::fenced) << "and if it did, it would be known";
}

} // namespace
} // namespace leat::tests
