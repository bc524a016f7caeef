#pragma once

#include "store/keys.hpp"
#include "store/scripts.hpp"
#include "store/settlement.hpp"
#include "support/script_case.hpp"

#include <gmock/gmock.h>

#include <initializer_list>
#include <string_view>

namespace leat::tests {

using texts = std::vector<std::string>;
using wholes = std::vector<std::int64_t>;

// What becomes of messages, for settle_call. They point to what they are made of: name none before the call is made.
using outputs = std::initializer_list<store::output>;
inline store::settled_message done(std::string_view message, outputs pushes = {}) {
    return {.message = message, .pushes = {pushes.begin(), pushes.end()}};
}
inline store::settled_message retry(
    std::string_view message, std::int64_t pause, std::string_view reason, std::int64_t delivery = 1) {
    return {
        .message = message,
        .how = store::settled_message::end::retry,
        .reason = reason,
        .delivery = delivery,
        .pause = pause};
}
inline store::settled_message bury(
    std::string_view message, std::string_view reason, std::string_view name = "", outputs pushes = {}) {
    return {
        .message = message,
        .how = store::settled_message::end::bury,
        .pushes = {pushes.begin(), pushes.end()},
        .reason = reason,
        .name = name};
}
inline store::settled_message give_back(std::string_view message, outputs pushes = {}) {
    return {
        .message = message, .how = store::settled_message::end::give_back, .pushes = {pushes.begin(), pushes.end()}};
}
inline std::vector<store::settled_message> all_done(const texts& messages) {
    std::vector<store::settled_message> made;
    for (const auto& each : messages) {
        made.push_back(done(each));
    }
    return made;
}
inline store::settled_message at(std::size_t place, store::settled_message one) {
    one.place = place;
    return one;
}
inline store::settled_message newer(store::settled_message one) {
    one.newer = true;
    return one;
}
// The key is set for an hour, and deleted, if it is this.
inline store::output kept(std::string key, std::string text) {
    return {.to = std::move(key), .message = std::move(text), .keep = 3600};
}
inline store::output removed(std::string key, std::string text) {
    return {.to = std::move(key), .message = std::move(text), .keep = -1};
}

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
        explicit taken(const answer& given)
            : whole{given} {
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

    enum class order : bool { oldest_first, any };
    store::settle_call settle_call(
        const taker& by, const std::vector<store::settled_message>& messages, std::int64_t count = 0,
        order in = order::oldest_first) const {
        auto call = settle_call_of_none(by, count);
        store::write_settlement(messages, in == order::oldest_first, call);
        return call;
    }
    store::settle_call settle_call_of_none(const taker& by, std::int64_t count = 0) const {
        return {
            .keys = keys,
            .source = "in",
            .dead = "dead",
            .id = by.id,
            .token = by.token,
            .call = by.call + 1,
            .lease_time = 30'000,
            .max_count = count,
            .max_bytes = 1'000'000,
            .max_deliveries = 3,
            .service = "ns:1",
            .metrics = "ns:metrics:",
            .oldest = true};
    }

    taken settle(taker& by, const std::vector<store::settled_message>& messages, std::int64_t count = 0) {
        taken made{run(settle_call(by, messages, count))};
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
