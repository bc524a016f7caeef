#pragma once

#include "store/bridge.hpp"
#include "support/clocked_server.hpp"
#include "support/script_case.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace leat::tests {

// The verbs of a bridge, each a call of its script over a client that is not ours, at a time that the test sets.
class bridge_user {
public:
    explicit bridge_user(clocked_server& server)
        : clock{server}
        , redis{server.connect()} {
        setup.owner = "one";
    }

    store::bridge_outcome run(store::bridge_verb verb, std::vector<store::bridge_item> items) {
        auto told = send(store::bridge_call(verb, setup, rules, room, std::move(items), leases));
        return with_claims(store::read_bridge_outcome(verb, std::move(told)));
    }
    store::bridge_outcome collect(std::int64_t most = 1000) {
        return with_claims(store::read_collected(send(store::make_bridge_collect(setup, rules, room, most))));
    }

    // One item; what it claims goes to `claims`.
    store::bridge_answer one(store::bridge_verb verb, store::bridge_item item) {
        auto outcome = run(verb, {std::move(item)});
        return outcome.answers.at(0);
    }
    store::bridge_state request(
        const std::string& conversation, const std::string& id, std::int64_t timestamp = 0,
        const std::string& origin = "whatsapp") {
        return one(store::bridge_verb::accept,
                   store::item_of(store::bridge_request{conversation, origin, id, timestamp}))
            .state;
    }
    store::bridge_state respond(
        const std::string& conversation, const std::string& request_id, const std::string& id, bool more = false,
        const std::string& origin = "whatsapp") {
        store::bridge_response given{
            .ids = {request_id, id, conversation},
            .origin = origin,
            .timestamp = 0,
            .task = R"({"body":")" + id + "\"}",
            .more = more};
        return one(store::bridge_verb::accept, store::item_of(given)).state;
    }
    store::bridge_state complete(
        const store::bridge_claim& which, store::bridge_sending how = store::bridge_sending::sent,
        const std::string& detail = {}, std::int64_t pause = 0) {
        store::bridge_result given{
            .ids = which.ids,
            .token = which.token,
            .how = how,
            .detail = detail,
            .pause = pause,
            .origin = which.origin};
        return one(store::bridge_verb::conclude, store::item_of(given)).state;
    }
    store::bridge_state acknowledge(
        const std::string& name, store::bridge_sending how = store::bridge_sending::sent,
        const std::string& origin = "whatsapp") {
        return one(store::bridge_verb::conclude, store::acknowledge_item(origin, name, how, "said so")).state;
    }
    store::bridge_state cancel(const std::string& request_id) {
        return one(store::bridge_verb::accept, store::cancel_item("", request_id, "nobody answers")).state;
    }
    store::bridge_answer meet(const std::string& conversation) {
        return one(store::bridge_verb::conclude, store::meet_item(conversation));
    }

    // Time passes while somebody serves, so that nobody takes the bridge for one that was left alone.
    void serve(std::int64_t milliseconds) {
        for (auto left = milliseconds; left > 0; left -= 4'000) {
            clock.advance(std::min<std::int64_t>(left, 4'000));
            collect(0);
        }
    }

    // The claim that came last, and is forgotten with this.
    store::bridge_claim claim() {
        if (claims.empty()) {
            throw std::runtime_error{"nothing was claimed"};
        }
        auto last = claims.back();
        claims.pop_back();
        return last;
    }

    // All that must stay as it was when nothing is to change: not what was counted, nor how many keys the server has
    // not yet removed that have expired.
    std::map<std::string, std::string> keyspace() {
        auto found = redis.keyspace();
        found.erase(setup.prefix + "counts");
        found.erase(setup.prefix + "state");
        found.erase("<DBSIZE>");
        return found;
    }
    std::map<std::string, std::string> hash(const std::string& key) {
        std::map<std::string, std::string> found;
        auto words = redis.call({"HGETALL", key}).texts();
        for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
            found[words[i]] = words[i + 1];
        }
        return found;
    }
    std::int64_t counted(const std::string& name) {
        auto found = hash(setup.prefix + "counts");
        return found.contains(name) ? std::stoll(found[name]) : 0;
    }
    std::int64_t ttl(const std::string& key) { return redis.call({"PTTL", key}).whole; }
    double score(const std::string& key, const std::string& member) {
        return std::stod(redis.call({"ZSCORE", key, member}).text);
    }

    clocked_server& clock;
    client redis;
    store::bridge_setup setup;
    store::bridge_rules rules;
    std::int64_t room = 1000;
    std::vector<store::bridge_claim> claims;
    std::vector<store::lease_token> leases; // under which the items of the next calls were taken

private:
    redis::reply send(const redis::script_call& call) {
        clock.advance_micros(1); // no two calls of a real server have the same time
        std::vector<std::string> words{"EVALSHA", std::string{call.what->sha1}, std::to_string(call.keys.size())};
        words.insert(words.end(), call.keys.begin(), call.keys.end());
        words.insert(words.end(), call.arguments.begin(), call.arguments.end());
        auto told = redis.call(words);
        if (told.failed() && told.text.starts_with("NOSCRIPT")) {
            words[0] = "EVAL";
            words[1] = call.what->text;
            told = redis.call(words);
        }
        if (told.failed()) {
            throw std::runtime_error{told.text};
        }
        return reply_of(told);
    }

    store::bridge_outcome with_claims(redis::result<store::bridge_outcome> outcome) {
        if (!outcome) {
            throw std::runtime_error{outcome.error().text};
        }
        claims.insert(claims.end(), outcome->claims.begin(), outcome->claims.end());
        return std::move(*outcome);
    }
};

} // namespace leat::tests
