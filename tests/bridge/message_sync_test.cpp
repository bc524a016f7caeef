#include "bridge/message_sync.hpp"
#include "support/on_loop.hpp"
#include "support/private_server.hpp"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

namespace leat::tests {
namespace {

using namespace bridge;
using boost::asio::awaitable;
using state = store::bridge_state;
using kind = sync_error::kind;

sync_message_options by_response(std::string id) {
    sync_message_options made;
    made.response_id = std::move(id);
    return made;
}
sync_message_options by_name(std::string id) {
    sync_message_options made;
    made.async_response_id = std::move(id);
    return made;
}

// The methods that users of the original know, each against a real server.
class message_sync_case : public testing::Test {
public:
    message_sync_case() {
        store::bridge_setup setup;
        setup.owner = "test";
        channel = std::make_unique<sync_channel>(loop.executor(), *link, base::create_log("test"), setup, rules, 2);
        channel->listen(
            {.room = [this] { return room; },
             .claimed = [this](store::bridge_claim given, auto) { claims.push_back(std::move(given)); },
             .told = {}});
        sync = std::make_unique<message_sync>(*channel);
    }

    void run(awaitable<void> body) { loop.run(with_server(std::move(body))); }

    request_info request(std::string id) const {
        return {
            .origin = "whatsapp",
            .conversation_id = "c",
            .request_id = std::move(id),
            .corr = "x",
            .request_timestamp = 0};
    }
    response_info response(std::string request_id, std::string id) const {
        response_info made;
        made.origin = "whatsapp";
        made.conversation_id = "c";
        made.request_id = std::move(request_id);
        made.response_id = std::move(id);
        made.task_item = R"({"taskId":"t"})";
        return made;
    }
    awaitable<void> two_replies_of_a_and_one_of_b() {
        co_await sync->create_conversation_register(request("A"));
        co_await sync->create_conversation_register(request("B"));
        co_await sync->mark_pending_conversation_register(response("A", "A1"));
        co_await sync->mark_pending_conversation_register(response("A", "A2"));
        co_await sync->mark_pending_conversation_register(response("B", "B1"));
    }

    private_server server;
    on_loop loop;
    std::unique_ptr<redis::link> link = loop.link(server.url());
    store::bridge_rules rules;
    std::int64_t room = 100;
    std::unique_ptr<sync_channel> channel;
    std::unique_ptr<message_sync> sync;
    std::vector<store::bridge_claim> claims;
    client redis = server.connect();

private:
    awaitable<void> with_server(awaitable<void> body) {
        while (!link->connected()) {
            co_await link->changed().wait_for(std::chrono::seconds{1});
        }
        co_await std::move(body);
        co_await channel->ended();
        link->stop();
    }
};

awaitable<void> try_a_request_and_its_reply(message_sync_case& test) {
    auto& sync = *test.sync;
    auto first = co_await sync.create_conversation_register(test.request("A"));
    EXPECT_FALSE(first->existing);
    auto again = co_await sync.create_conversation_register(test.request("A"));
    EXPECT_TRUE(again->existing);
    EXPECT_EQ(again->request_timestamp, first->request_timestamp);
    auto reply = co_await sync.mark_pending_conversation_register(test.response("A", "A1"));
    EXPECT_EQ(reply->state, state::claimed);
    EXPECT_EQ(reply->order, std::to_string(first->request_timestamp) + ".1");
    EXPECT_EQ(test.claims.size(), 1U);
    message_sync::sent_info sent;
    sent.conversation_id = "c";
    sent.request_id = "A";
    sent.response_id = "A1";
    sent.async_response_id = "name";
    sent.fence = test.claims.at(0).token;
    auto told = co_await sync.mark_sent_conversation_register(sent);
    EXPECT_EQ(*told, state::sent);
    auto stale = co_await sync.mark_sent_conversation_register(sent);
    EXPECT_EQ(stale.error().is, kind::fenced);
    auto found = co_await sync.get_conversation_message(by_name("name"));
    EXPECT_EQ((*found)->response_id, "A1");
    EXPECT_EQ((*found)->status, message_status::sent);
    EXPECT_EQ((*found)->task_item, R"({"taskId":"t"})");
    std::set<std::string> only{"status"};
    auto projected = co_await sync.get_conversation_message(by_name("name"), only);
    EXPECT_EQ((*projected)->status, message_status::sent);
    EXPECT_EQ((*projected)->response_id, "");
    auto acknowledged = co_await sync.acknowledge("whatsapp", "name", store::bridge_sending::sent, "");
    EXPECT_EQ(*acknowledged, state::delivered);
    auto gone = co_await sync.get_conversation_message(by_response("A1"));
    EXPECT_FALSE(gone->has_value());
}

TEST_F(message_sync_case, a_request_and_its_reply) {
    run(try_a_request_and_its_reply(*this));
}

awaitable<void> try_to_follow_a_correlator(message_sync_case& test) {
    co_await test.sync->create_conversation_register(test.request("A"));
    auto reply = test.response("A", "A1");
    reply.corr = "y\x1b";
    co_await test.sync->mark_pending_conversation_register(std::move(reply));
    auto which = by_response("A1");
    which.corr = "z";
    co_await test.sync->delete_conversation_message(std::move(which));
}

TEST_F(message_sync_case, correlators_are_logged_for_who_asks) {
    std::ostringstream said;
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(said);
    channel->log()->sinks().push_back(sink);
    channel->log()->set_level(spdlog::level::debug);
    run(try_to_follow_a_correlator(*this));
    EXPECT_THAT(said.str(), testing::HasSubstr("createConversationRegister corr=x id=A\n"));
    EXPECT_THAT(said.str(), testing::HasSubstr("markPendingConversationRegister corr=y\\x1b id=A1\n"));
    EXPECT_THAT(said.str(), testing::HasSubstr("deleteConversationMessage corr=z id=A1\n"));
}

awaitable<void> try_what_a_message_waits_for(message_sync_case& test) {
    auto& sync = *test.sync;
    auto none = co_await sync.can_send_conversation_message("c", "A", "");
    EXPECT_EQ(none->status, can_send_status::not_found);
    co_await sync.create_conversation_register(test.request("A"));
    co_await sync.create_conversation_register(test.request("B"));
    co_await sync.mark_pending_conversation_register(test.response("B", "B1"));
    auto waits = co_await sync.can_send_conversation_message("c", "B", "");
    EXPECT_EQ(waits->status, can_send_status::wait_request);
    EXPECT_EQ(waits->first_response_id, "B1");
    EXPECT_GT(waits->waits.count(), 5'000);
    test.room = 0;
    co_await sync.mark_pending_conversation_register(test.response("A", "A1"));
    auto goes = co_await sync.can_send_conversation_message("c", "A", "");
    EXPECT_EQ(goes->status, can_send_status::can_send);
    EXPECT_EQ(goes->first_response_id, "A1");
    auto other = co_await sync.can_send_conversation_message("c", "B", "");
    EXPECT_EQ(other->status, can_send_status::wait_response);
    auto first = co_await sync.get_first_conversation_message("c");
    EXPECT_EQ((*first)->response_id, "A1");
    test.room = 1;
    auto awaited = co_await sync.get_awaited_messages(10, "");
    EXPECT_EQ(awaited->size(), 1U);
    auto sends = co_await sync.can_send_conversation_message("c", "A", "");
    EXPECT_EQ(sends->status, can_send_status::wait_lease);
    auto longer = co_await sync.update_awaited_expires("A1", "", test.claims.at(0).token);
    EXPECT_TRUE(*longer);
    auto of_another = co_await sync.update_awaited_expires("A1", "", 7);
    EXPECT_EQ(of_another.error().is, kind::fenced);
}

TEST_F(message_sync_case, what_a_message_waits_for) {
    run(try_what_a_message_waits_for(*this));
}

awaitable<void> try_groups(message_sync_case& test) {
    auto& sync = *test.sync;
    co_await test.two_replies_of_a_and_one_of_b();
    auto siblings = co_await sync.get_all_siblings("bridge:queue:res:A1", "");
    EXPECT_EQ((*siblings)->info.response_id, "A1");
    EXPECT_EQ((*siblings)->siblings.size(), 1U);
    EXPECT_EQ((*siblings)->siblings.at(0).response_id, "A2");
    auto awaits = co_await sync.set_awaited_by_request_id("A", 0, "", "busy");
    EXPECT_EQ(*awaits, 2);
    auto first = co_await sync.get_conversation_message(by_response("A1"));
    EXPECT_EQ((*first)->status, message_status::awaited);
    auto b = co_await sync.get_conversation_message(by_response("B1"));
    EXPECT_EQ((*b)->status, message_status::pending);
    auto gone = co_await sync.remove_all_siblings(**siblings, "");
    EXPECT_EQ(*gone, 1);
    auto cancelled = co_await sync.set_error_by_id(by_response("A1"), "410");
    EXPECT_EQ(*cancelled, 1);
    EXPECT_EQ(test.claims.back().ids.response_id, "B1") << "what unblocks claims";
    auto late = co_await sync.mark_pending_conversation_register(test.response("A", "A3"));
    EXPECT_EQ(late->state, state::cancelled);
}

TEST_F(message_sync_case, groups) {
    run(try_groups(*this));
}

awaitable<void> try_removal(message_sync_case& test) {
    auto& sync = *test.sync;
    co_await test.two_replies_of_a_and_one_of_b();
    auto spared = co_await sync.remove_request_message(by_response("A1"), false, "");
    EXPECT_EQ(*spared, 1);
    auto still = co_await sync.get_conversation_message(by_response("A1"));
    EXPECT_TRUE(still->has_value());
    std::vector<std::string> except{"whatsapp"};
    std::vector<std::string> nobody;
    auto none = co_await sync.delete_conversation_register(except, std::nullopt, test.request("A"));
    EXPECT_EQ(*none, 0);
    auto other_status = co_await sync.delete_conversation_register(nobody, message_status::sent, test.request("A"));
    EXPECT_EQ(*other_status, 0);
    auto one = co_await sync.delete_conversation_register(nobody, message_status::pending, test.request("A"));
    EXPECT_EQ(*one, 1);
    auto later = co_await sync.remove_all_references_at_time(by_response("B1"), std::chrono::seconds{5}, "");
    EXPECT_TRUE(*later);
    EXPECT_NEAR(static_cast<double>(test.redis.call({"PTTL", "bridge:queue:res:B1"}).whole), 5'000, 500);
    auto deleted = co_await sync.delete_conversation_message(by_response("B1"));
    EXPECT_TRUE(*deleted);
    auto again = co_await sync.delete_conversation_message(by_response("B1"));
    EXPECT_FALSE(*again);
    auto waits = co_await sync.set_awaited_by_response_id(by_response("B1"));
    EXPECT_FALSE(*waits);
    auto cancelled = co_await sync.cancel_request("B", "c", "nobody answers");
    EXPECT_TRUE(*cancelled);
}

TEST_F(message_sync_case, removal) {
    run(try_removal(*this));
}

awaitable<void> try_bad_input_is_refused_before_redis_hears_of_it(message_sync_case& test) {
    auto& sync = *test.sync;
    auto empty = co_await sync.create_conversation_register(test.request(""));
    EXPECT_EQ(empty.error().is, kind::bad_input);
    EXPECT_THAT(empty.error().text, testing::HasSubstr("requestId"));
    auto bytes = co_await sync.create_conversation_register(test.request("\xff"));
    EXPECT_EQ(bytes.error().is, kind::bad_input);
    auto late = test.request("A");
    late.request_timestamp = std::int64_t{1} << 41;
    auto time = co_await sync.create_conversation_register(late);
    EXPECT_EQ(time.error().is, kind::bad_input);
    sync_message_options neither;
    auto both = co_await sync.delete_conversation_message(neither);
    EXPECT_EQ(both.error().is, kind::bad_input);
    EXPECT_EQ(test.redis.call({"DBSIZE"}).whole, 0);
    test.redis.call({"SET", "bridge:queue:c", "x"});
    auto wrong = co_await sync.create_conversation_register(test.request("A"));
    EXPECT_EQ(wrong.error().is, kind::redis);
    EXPECT_EQ(wrong.error().failed.kind, redis::error_class::await_repair);
    EXPECT_THAT(wrong.error().text, testing::HasSubstr("WRONGTYPE"));
}

TEST_F(message_sync_case, bad_input_is_refused_before_redis_hears_of_it) {
    run(try_bad_input_is_refused_before_redis_hears_of_it(*this));
}

TEST_F(message_sync_case, defaults_of_a_request) {
    auto made = sync->get_init_default_values(request("A"), 1'700'000'000'500);
    EXPECT_EQ(made.status, message_status::waiting);
    EXPECT_EQ(made.request_timestamp, 1'700'000'000'500);
    EXPECT_EQ(made.expires_at_ts, 1'700'000'010);
    EXPECT_EQ(made.response_id_counter, 0);
    EXPECT_EQ(made.awaited_retries, 0);
    link->stop();
}

} // namespace
} // namespace leat::tests
