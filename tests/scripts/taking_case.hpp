#pragma once

#include "store/keys.hpp"
#include "store/scripts.hpp"
#include "store/settlement.hpp"
#include "support/script_case.hpp"

#include <gmock/gmock.h>

namespace leat::tests {

using texts = std::vector<std::string>;
using wholes = std::vector<std::int64_t>;

// The verbs of the second path on the queue `in`, at a time that the test sets.
class taking_case : public testing::TestWithParam<std::string> {
protected:
    // One who takes, with what it must remember.
    struct taker {
        std::int64_t id = 0;
        std::string token;
        std::int64_t call = 0;
    };

    // What take and settle answer. Nothing is read of an error.
    struct taken {
        explicit taken(answer given)
            : whole{std::move(given)} {
            if (!whole.failed()) {
                EXPECT_TRUE(store::read_answer(reply_of(whole), seen));
            }
        }
        answer whole;
        store::settle_outcome seen; // of take, what both say
        store::numbered_call state() const {
            EXPECT_FALSE(whole.failed()) << whole.text;
            return seen.state;
        }
        std::int64_t count() const { return static_cast<std::int64_t>(seen.messages.size()); }
        std::int64_t left() const { return seen.left; }
        bool waits() const { return seen.waits; }
        const wholes& failures() const { return seen.failures; }
        std::int64_t next_delayed() const { return seen.next_delayed; }
        std::int64_t next_lease() const { return seen.next_lease; }
        std::int64_t missing() const { return seen.missing; }
        std::int64_t buried() const { return seen.buried; }
        bool source_wrong() const { return seen.source_wrong; }
        const texts& messages() const { return seen.messages; }
    };

    template <class Call>
    answer_of<Call> run(Call given) {
        return answer_of<Call>{run_call_at(redis, store::make_call(std::move(given)), now)};
    }

    taker open(const std::string& token = "secret") {
        store::open_lease_call given{
            .keys = keys,
            .token = token,
            .lease_time = 30'000,
            .host = "h",
            .pid = "1",
            .name = "exec",
            .source = "in",
            .process = "p"};
        return {run(given)->id, token, 0};
    }

    store::take_call take_call(const taker& by, std::int64_t count) const {
        return {
            .keys = keys,
            .source = "in",
            .id = by.id,
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
            .keys = keys,
            .source = "in",
            .dead = "dead",
            .outs = {"out0", "out1"},
            .id = by.id,
            .token = by.token,
            .call = by.call + 1,
            .lease_time = 30'000,
            .max_count = count,
            .max_bytes = 1'000'000,
            .max_deliveries = 3,
            .service = "ns:1",
            .metrics = "ns:metrics:",
            .oldest = true,
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
            .keys = keys,
            .source = "in",
            .dead = "dead",
            .own = 0,
            .max_owners = 100,
            .max_count = 1000,
            .max_deliveries = 3,
            .service = "ns:1",
            .metrics = "ns:metrics:"};
    }
    answer_of<store::recover_call> recover() { return run(recover_call()); }

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
