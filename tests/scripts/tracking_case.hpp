#pragma once

#include "store/keys.hpp"
#include "store/message_plan.hpp"
#include "store/scripts.hpp"
#include "store/transfer.hpp"
#include "support/script_case.hpp"

#include <gmock/gmock.h>

#include <map>

namespace leat::tests {

using hash = std::map<std::string, std::string>;

// The verbs of tracking in the namespace `ns`, at a time that the test sets.
class tracking_case : public testing::TestWithParam<std::string> {
protected:
    answer run(const redis::script_call& made) { return run_call_at(redis, made, now); }

    template <class Call>
    answer_of<Call> run(Call given) {
        return answer_of<Call>{run(store::make_call(std::move(given)))};
    }

    store::transfer_tracked_call transfer_call() const {
        return {
            .keys = keys,
            .source = "in",
            .outs = {"out0", "out1"},
            .max_count = 1000,
            .max_bytes = 1 << 20,
            .service = 1,
            .timeout = 10,
            .expire = 60,
            .capacity = 1000};
    }

    // Two attempts of 10 s each, 4 s apart.
    static store::message_plan plan(const std::string& await = "first", const std::string& server = "") {
        return {
            .outs = {"out0", "out1"},
            .await = await,
            .attempts = 2,
            .first = 4,
            .factor = 2,
            .max = 60,
            .timeout = 10,
            .expire = 84,
            .dead = "ns:message:dead",
            .source = "in",
            .server = server};
    }

    store::transfer_tracked_call retried_call(const store::message_plan& then = plan()) const {
        auto given = transfer_call();
        given.kept = true;
        given.plan = to_text(then);
        given.expire = 84;
        return given;
    }

    answer_of<store::transfer_tracked_call> transfer(const std::string& message, store::transfer_tracked_call given) {
        redis.call({"LPUSH", "in", message});
        return run(std::move(given));
    }
    answer_of<store::transfer_tracked_call> transfer(const std::string& message) {
        return transfer(message, transfer_call());
    }

    answer_of<store::complete_call> complete(const std::vector<std::string>& reports) {
        for (const auto& each : reports) {
            redis.call({"LPUSH", keys.done(), each});
        }
        return run(store::complete_call{.keys = keys, .done = keys.done(), .remember = 60, .max_count = 500});
    }

    answer_of<store::time_out_call> time_out() {
        return run(store::time_out_call{.keys = keys, .remember = 60, .max_count = 500, .seed = 1});
    }

    answer_of<store::retry_call> retry(const std::string& queues = "", std::int64_t service_db = 0) {
        return run(store::retry_call{
            .keys = keys, .remember = 60, .max_count = 100, .server = queues, .service_db = service_db});
    }

    answer_of<store::compact_call> compact(std::int64_t many = 1000) {
        return run(store::compact_call{.keys = keys, .max_count = many});
    }

    hash hgetall(const std::string& key) {
        auto found = redis.call({"HGETALL", key}).texts();
        hash made;
        for (std::size_t i = 0; i + 1 < found.size(); i += 2) {
            made[found[i]] = found[i + 1];
        }
        return made;
    }
    hash metric(const std::string& name) { return hgetall("ns:metrics:" + name); }
    std::string count_of(const std::string& name) { return metric(name)["count"]; }
    std::vector<std::string> list(const std::string& key) { return redis.call({"LRANGE", key, "0", "-1"}).texts(); }
    bool exists(const std::string& key) { return redis.call({"EXISTS", key}).whole == 1; }
    // Nothing is left of any message but the counter and how it ended.
    void expect_clean() {
        for (const auto& [key, content] : redis.keyspace()) {
            bool stays = key == "ns:message:id" || key.starts_with("ns:message:ended:") ||
                         key.starts_with("ns:message:plan:") || key.starts_with("ns:metrics:") ||
                         !key.starts_with("ns:");
            EXPECT_TRUE(stays) << key << " = " << content;
        }
    }

    private_server server{GetParam()};
    client redis = server.connect();
    store::message_keys keys{"ns"};
    std::int64_t now = 1459166173'500;
};

#define LEAT_ON_BOTH_SERVERS(suite)                                                                                    \
    INSTANTIATE_TEST_SUITE_P(                                                                                          \
        servers, suite, testing::ValuesIn(server_flavours()), [](const auto& instance) { return instance.param; })

} // namespace leat::tests
