#pragma once

#include "message/min_message_info.hpp"
#include "support/clocked_server.hpp"

#include <string>
#include <vector>

namespace leat::tests {

// The bridge as its document says it, to the letter, with plain commands one after the other: what ours is compared
// with. Its faults are those of the document; the tests show that they are real.
class literal_bridge {
public:
    explicit literal_bridge(clocked_server& server)
        : clock_{server}
        , redis_{server.connect()} {}

    void request(const std::string& conversation, const std::string& id, std::int64_t timestamp) {
        auto key = "bridge:queue:req:" + id;
        redis_.call(
            {"HSET", key, "conversationId", conversation, "requestId", id, "requestTimestamp",
             std::to_string(timestamp), "status", "WAITING", "responseIdCounter", "0"});
        redis_.call({"PEXPIRE", key, "10000"});
        redis_.call({"RPUSH", "bridge:queue:" + conversation + ":req", key});
        redis_.call({"PEXPIRE", "bridge:queue:" + conversation + ":req", "10000"});
    }

    void respond(
        const std::string& conversation, const std::string& request, const std::string& id, std::int64_t timestamp) {
        auto of = redis_.call({"HGET", "bridge:queue:req:" + request, "requestTimestamp"}).text;
        redis_.call(
            {"HSET", "bridge:queue:res:" + id, "conversationId", conversation, "requestId", request, "responseId", id,
             "requestTimestamp", of, "status", "PENDING"});
        redis_.call({"PEXPIRE", "bridge:queue:res:" + id, "900000"});
        redis_.call({"HINCRBY", "bridge:queue:req:" + request, "responseIdCounter", "1"});
        auto digits = std::to_string(10000 + timestamp % 10000).substr(1);
        auto member = message::to_text({request, id, conversation});
        redis_.call({"ZADD", "bridge:queue:" + conversation, of + "." + digits, member});
        redis_.call({"PEXPIRE", "bridge:queue:" + conversation, "10000"}); // as its tables say
        await(member, clock_.now() + 30'000);
    }

    // Whether it may be sent, by the two steps of the document.
    bool can_send(const std::string& conversation, const std::string& request, const std::string& id) {
        if (redis_.call({"LINDEX", "bridge:queue:" + conversation + ":req", "0"}).text !=
            "bridge:queue:req:" + request) {
            return false;
        }
        for (;;) {
            auto first = redis_.call({"ZRANGE", "bridge:queue:" + conversation, "0", "0"}).texts();
            if (first.empty()) {
                return false;
            }
            auto info = message::read_min_message_info(first.front()).value();
            if (info.response_id == id) {
                return true;
            }
            if (redis_.call({"EXISTS", "bridge:queue:res:" + info.response_id}).whole == 1) {
                return false;
            }
            redis_.call({"ZREM", "bridge:queue:" + conversation, first.front()});
        }
    }

    // Every reference of it goes, and its request's, when it was the last.
    void remove(const std::string& conversation, const std::string& request, const std::string& id) {
        auto member = message::to_text({request, id, conversation});
        redis_.call({"DEL", "bridge:queue:res:" + id});
        redis_.call({"ZREM", "bridge:queue:" + conversation, member});
        redis_.call({"ZREM", "bridge:queue:pendingMessages", member});
        redis_.call({"LREM", "bridge:queue:" + conversation + ":req", "1", "bridge:queue:req:" + request});
    }

    void await(const std::string& member, std::int64_t date) {
        redis_.call({"ZADD", "bridge:queue:pendingMessages", std::to_string(date / 1000), member});
        redis_.call({"PEXPIRE", "bridge:queue:pendingMessages", "10000"}); // as its tables say
    }

    std::vector<std::string> collect() {
        return redis_
            .call(
                {"ZRANGE", "bridge:queue:pendingMessages", "-inf", std::to_string(clock_.now() / 1000), "BYSCORE",
                 "LIMIT", "0", "15"})
            .texts();
    }

private:
    clocked_server& clock_;
    client redis_;
};

} // namespace leat::tests
