#pragma once

#include "store/keys.hpp"
#include "store/taking.hpp"
#include "support/script_case.hpp"

#include <gmock/gmock.h>

namespace leat::tests {

using texts = std::vector<std::string>;

// The verbs of the second path on the queue `in`, at a time that the test sets.
class taking_case : public testing::TestWithParam<std::string> {
protected:
    // One who takes, with what it must remember.
    struct taker {
        std::int64_t id = 0;
        std::string token;
        std::int64_t call = 0;
    };

    // What take and settle answer, by name.
    struct taken {
        answer whole;
        std::int64_t state() const { return whole.items.at(0).whole; }
        std::int64_t count() const { return whole.items.at(1).whole; }
        std::int64_t left() const { return whole.items.at(2).whole; }
        bool waits() const { return whole.items.at(5).whole == 1; }
        bool failed() const { return whole.items.at(6).whole == 1; }
        std::int64_t next_delayed() const { return whole.items.at(7).whole; }
        std::int64_t next_lease() const { return whole.items.at(8).whole; }
        std::int64_t missing() const { return whole.items.at(9).whole; }
        std::int64_t buried() const { return whole.items.at(10).whole; }
        bool source_wrong() const { return whole.items.at(11).whole == 1; }
        texts messages() const { return whole.items.back().texts(); }
    };

    template <class Call>
    answer run(Call given) {
        return run_call_at(redis, store::make_call(std::move(given)), now);
    }

    taker open(const std::string& token = "secret") {
        store::open_lease_call given{
            .counter = keys.counter(),
            .owners = keys.owners(),
            .pending = keys.pending(),
            .token = token,
            .lease_time = 30'000,
            .host = "h",
            .pid = "1",
            .name = "exec",
            .source = "in",
            .process = "p"};
        return {run(given).items.at(0).whole, token, 0};
    }

    store::take_call take_call(const taker& by, std::int64_t count) const {
        return {
            .source = "in",
            .hand = keys.hand(by.id),
            .lease = keys.lease(by.id),
            .owners = keys.owners(),
            .suspects = keys.suspects(),
            .deliveries = keys.deliveries(),
            .delayed = keys.delayed(),
            .id = std::to_string(by.id),
            .token = by.token,
            .call = by.call + 1,
            .lease_time = 30'000,
            .max_count = count,
            .max_bytes = 1'000'000};
    }

    taken take(taker& by, std::int64_t count = 100) {
        taken made{run(take_call(by, count))};
        ++by.call;
        return made;
    }

    // `words` are the messages and what their verdicts need.
    store::settle_call settle_call(
        const taker& by, const std::string& verdicts, texts words, std::int64_t count = 0) const {
        return {
            .source = "in",
            .hand = keys.hand(by.id),
            .lease = keys.lease(by.id),
            .owners = keys.owners(),
            .suspects = keys.suspects(),
            .deliveries = keys.deliveries(),
            .delayed = keys.delayed(),
            .dead = "dead",
            .outs = {"out0", "out1"},
            .id = std::to_string(by.id),
            .token = by.token,
            .call = by.call + 1,
            .lease_time = 30'000,
            .max_count = count,
            .max_bytes = 1'000'000,
            .max_deliveries = 3,
            .service = "ns:1",
            .metrics = "ns:metrics:",
            .oldest = 1,
            .verdicts = verdicts,
            .words = std::move(words)};
    }

    taken settle(taker& by, const std::string& verdicts, texts words, std::int64_t count = 0) {
        taken made{run(settle_call(by, verdicts, std::move(words), count))};
        ++by.call;
        return made;
    }

    store::recover_call recover_call() const {
        return {
            .owners = keys.owners(),
            .source = "in",
            .suspects = keys.suspects(),
            .deliveries = keys.deliveries(),
            .dead = "dead",
            .pending = keys.pending(),
            .own = "0",
            .max_owners = 100,
            .max_count = 1000,
            .max_deliveries = 3,
            .service = "ns:1",
            .metrics = "ns:metrics:"};
    }
    answer recover() { return run(recover_call()); }

    void push(const texts& messages) {
        for (const auto& each : messages) {
            redis.call({"LPUSH", "in", each});
        }
    }
    // Oldest first.
    texts list(const std::string& key) {
        auto found = redis.call({"LRANGE", key, "0", "-1"}).texts();
        return {found.rbegin(), found.rend()};
    }
    std::string counted(const std::string& metric) {
        return redis.call({"HGET", "ns:metrics:" + metric, "count"}).text;
    }
    std::string digest(const std::string& message) {
        return redis.call({"EVAL", "return redis.sha1hex(ARGV[1])", "0", message}).text;
    }

    private_server server{GetParam()};
    client redis = server.connect();
    store::taking_keys keys{"in:pending"};
    std::int64_t now = 1'700'000'000'000;
};

} // namespace leat::tests
