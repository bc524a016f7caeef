#include "scripts/taking_case.hpp"
#include "store/message_plan.hpp"
#include "store/queues.hpp"
#include "store/service.hpp"

#include <functional>
#include <map>
#include <sstream>

namespace leat::tests {
namespace {

using keyspace = std::map<std::string, std::string>;

// A user may lack the right to any command. Whatever a script is refused, it does all or nothing: for each command that
// it uses, it is called by a user without it. Metrics are counted where the user may.
class rights : public taking_case {
protected:
    // Makes the keys that the call needs, and the call.
    using preparation = std::function<redis::script_call()>;

    redis::script_call begin(const preparation& prepare) {
        redis.call({"FLUSHALL"});
        now = start;
        return prepare();
    }

    // The first of the words that a call with all rights answers, and the commands that it gives.
    struct lawful {
        answer first;
        std::vector<std::string> commands;
    };
    static answer first_of(const answer& whole) { return whole.items.empty() ? whole : whole.items.front(); }
    lawful call_with_all_rights(const preparation& prepare) {
        auto call = begin(prepare);
        redis.call({"CONFIG", "RESETSTAT"});
        auto given = run_call_at(redis, call, now);
        EXPECT_FALSE(given.failed()) << given.text;
        std::istringstream lines{redis.call({"INFO", "commandstats"}).text};
        std::vector<std::string> found;
        for (std::string line; std::getline(lines, line);) {
            auto name = line.substr(0, line.find(':'));
            bool is_command = name.starts_with("cmdstat_") && name.find('|') == std::string::npos;
            if (is_command && name != "cmdstat_eval" && name != "cmdstat_info") {
                found.push_back(name.substr(8));
            }
        }
        return {first_of(given), found};
    }

    // As somebody needs it who is to grant it.
    static bool names_right(const std::string& text, std::string command) {
        std::ranges::transform(command, command.begin(), [](unsigned char each) { return std::toupper(each); });
        return text.find("NOPERM this user may not " + command + " ") != std::string::npos &&
               text.find('=') != std::string::npos;
    }

    // Without the metrics, and without the moments when keys expire.
    static keyspace without_metrics(keyspace all) {
        std::erase_if(
            all, [](const auto& each) { return each.first.starts_with("ns:metrics:") || each.first == "<DBSIZE>"; });
        for (auto& [key, content] : all) {
            auto at = content.find("pexpiretime=");
            auto end = content.find(' ', at);
            if (at != std::string::npos && content[at + 12] != '-') {
                content.replace(at, end - at, "expires");
            }
        }
        return all;
    }

    // The keys in which they differ, for people.
    static std::string difference(const keyspace& left, const keyspace& right) {
        std::string text;
        for (const auto& [from, to] : {std::pair{&left, &right}, std::pair{&right, &left}}) {
            for (const auto& [key, content] : *from) {
                auto found = to->find(key);
                if (found == to->end() || found->second != content) {
                    text += (from == &left ? "\n+ " : "\n- ") + key + " " + content;
                }
            }
        }
        return text;
    }

    // `forgiven`: what the script may go without.
    void expect_all_or_nothing(const std::string& name, const preparation& prepare, const texts& forgiven = {}) {
        auto [first, commands] = call_with_all_rights(prepare);
        EXPECT_FALSE(commands.empty()) << name;
        auto done = without_metrics(redis.keyspace());
        auto user = server.connect();
        redis.call({"ACL", "SETUSER", "some", "reset", "on", "nopass", "+@all", "~*", "&*"});
        user.call({"AUTH", "some", "x"});
        for (const auto& command : commands) {
            auto call = begin(prepare);
            redis.call({"ACL", "SETUSER", "some", "reset", "on", "nopass", "+@all", "~*", "&*", "-" + command});
            auto before = redis.keyspace();
            auto answer = run_call_at(user, call, now);
            auto after = redis.keyspace();
            auto what = name + " without " + command + ": " + answer.text;
            if (answer.failed()) {
                EXPECT_TRUE(after == before) << what << difference(after, before);
                EXPECT_TRUE(names_right(answer.text, command)) << what;
            } else if (std::ranges::find(forgiven, command) == forgiven.end()) {
                auto found = without_metrics(after);
                EXPECT_TRUE(found == done) << what << difference(found, done);
                EXPECT_TRUE(first_of(answer) == first) << what << first_of(answer).text;
            }
        }
    }

    static constexpr std::int64_t start = 1'700'000'000'000;
};

class rights_of_taking : public rights {
protected:
    template <class Call>
    static redis::script_call made(Call given) {
        return store::make_call(std::move(given));
    }
    // One has died with "1" and "2", and "3" was dead before.
    void leave_suspects() {
        push({"1", "2", "3"});
        auto dead = open("dead");
        take(dead, 2);
        now += 31'000;
    }
};

TEST_P(rights_of_taking, open_lease) {
    expect_all_or_nothing("open_lease", [this] {
        open();
        return made(store::open_lease_call{
            .keys = keys,
            .token = "t",
            .lease_time = 30'000,
            .host = "h",
            .pid = "1",
            .name = "exec",
            .source = "in",
            .process = "p"});
    });
}

TEST_P(rights_of_taking, take) {
    expect_all_or_nothing("take", [this] {
        push({"1", "2", "3"});
        return made(take_call(open(), 2));
    });
    expect_all_or_nothing("take all of a list that expires", [this] {
        push({"1", "2", std::string(600, 'x')});
        redis.call({"PEXPIREAT", "in", "4000000000000"});
        auto call = take_call(open(), 3);
        call.max_bytes = 500;
        call.largest = 1;
        return made(call);
    });
    expect_all_or_nothing("take while others wait", [this] {
        push({"1", "2"});
        redis.call({"ZADD", keys.delayed(), std::to_string(now + 1000), "1-1-1:x"});
        redis.call({"HSET", keys.deliveries(), digest("1"), R"({"deliveries":2})"});
        return made(take_call(open(), 2));
    });
    expect_all_or_nothing("take carefully", [this] {
        leave_suspects();
        recover();
        auto call = take_call(open(), 10);
        call.max_suspect_failures = 5;
        return made(call);
    });
}

TEST_P(rights_of_taking, settle) {
    expect_all_or_nothing(
        "settle",
        [this] {
            leave_suspects();
            recover();
            push({"4", "5", "6", "7"});
            redis.call({"DEL", keys.suspects()});
            redis.call({"SADD", keys.suspects(), "other"});
            redis.call({"SET", "mark", "begun"});
            redis.call({"SET", "ns:message:tracked", "1"});
            redis.call({"HSET", "ns:message:xid:1", "id", "77"});
            auto me = open();
            for (int i = 0; i < 7; ++i) {
                take(me);
            }
            auto call = settle_call(
                me,
                {done("1"), done("2", {{"out0", "a"}, {"out1", "b"}, kept("mark", "begun")}), retry("3", 0, "no"),
                 retry("4", 100, "no"), bury("5", "bad", "Bad", {{"out0", "c"}}), give_back("6"),
                 give_back("7", {removed("mark", "begun")})},
                10);
            call.tracked = "ns:message:";
            call.reports = "ns:message:done";
            call.times = "1 1 1 0 0 0 0 0 0 0 0 0 0";
            return made(call);
        },
        {"lmove", "lindex", "sismember"}); // nothing is taken: `take` says why
    expect_all_or_nothing(
        "settle what is tracked and large, while others wait",
        [this] {
            std::string large(store::large_message, 'x');
            push({"1", large, "2"});
            redis.call({"SET", "ns:message:tracked", "1"});
            redis.call({"HSET", "ns:message:xid:1", "id", "77"});
            redis.call({"ZADD", keys.delayed(), std::to_string(now + 1000), "1-1-1:x"});
            auto me = open();
            take(me, 2);
            auto call = settle_call(me, {done("1"), done(large)}, 1);
            call.tracked = "ns:message:";
            call.reports = "ns:message:done";
            return made(call);
        },
        {"pexpiretime"}); // nothing is taken
    expect_all_or_nothing("settle in another order", [this] {
        push({"1", "2", "3", "4"});
        auto me = open();
        take(me, 4);
        return made(settle_call(me, {newer(done("3")), done("2")}, 1, order::any));
    });
}

TEST_P(rights_of_taking, read_hand_and_release) {
    auto take_three = [this] {
        push({"1", "2", "3"});
        auto me = open();
        take(me, 3);
    };
    expect_all_or_nothing("read_hand", [&] {
        take_three();
        return made(store::read_hand_call{
            .keys = keys, .id = 1, .token = "secret", .first = 0, .max_count = 2, .max_bytes = 1'000'000});
    });
    std::string large(store::large_message, 'x');
    auto take_large = [&] {
        push({"1", large});
        auto me = open();
        take(me, 2);
    };
    expect_all_or_nothing("find_held", [&] {
        take_large();
        return made(
            store::find_held_call{.keys = keys, .id = 1, .token = "secret", .held = store::name_of_large(large)});
    });
    expect_all_or_nothing("bury", [&] {
        take_large();
        redis.call({"LPUSH", "dead", large});
        redis.call({"HSET", "dead:story", digest(large), "{}"});
        return made(store::bury_call{
            .keys = keys,
            .dead = "dead",
            .id = 1,
            .token = "secret",
            .held = store::name_of_large(large),
            .source = "in"});
    });
    for (std::int64_t count : {2, 10}) {
        expect_all_or_nothing("release", [&] {
            take_three();
            return made(
                store::release_call{.keys = keys, .source = "in", .id = 1, .token = "secret", .max_count = count});
        });
    }
}

TEST_P(rights_of_taking, recover) {
    for (std::int64_t max_deliveries : {1, 5}) {
        for (std::int64_t max_count : {1, 10}) {
            expect_all_or_nothing("recover", [&] {
                leave_suspects();
                auto call = recover_call();
                call.max_deliveries = max_deliveries;
                call.max_count = max_count;
                return made(call);
            });
        }
    }
    expect_all_or_nothing("recover what is known to be dead", [&] {
        push({"1", "2", "3"});
        auto dead = open("dead");
        take(dead, 2);
        auto call = recover_call();
        call.gone = {{.id = std::to_string(dead.id), .process = "p"}};
        return made(call);
    });
    expect_all_or_nothing("recover a hand that is none", [&] {
        leave_suspects();
        redis.call({"DEL", keys.hand(1)});
        redis.call({"SET", keys.hand(1), "text"});
        return made(recover_call());
    });
}

TEST_P(rights_of_taking, forward) {
    expect_all_or_nothing("forward", [this] {
        redis.call({"ZADD", keys.delayed(), "1", "1-1-1:x", "2", "1-1-2:y"});
        return made(store::forward_call{.keys = keys, .source = "in", .max_count = 10});
    });
}

TEST_P(rights_of_taking, return_pending_and_deliver) {
    expect_all_or_nothing("return_pending", [this] {
        redis.call({"LPUSH", "in:pending", "1", "2"});
        return made(
            store::return_pending_call{.pending = "in:pending", .source = "in", .max_count = 10, .max_bytes = 1000});
    });
    expect_all_or_nothing(
        "deliver", [] { return made(store::deliver_call{.outs = {"a", "b"}, .message = "1", .max_length = 0}); });
}

TEST_P(rights_of_taking, filter_and_redrive_one) {
    auto dead = [this] {
        for (const std::string each : {"1", "2", "2"}) {
            redis.call({"LPUSH", "dead", each});
            redis.call({"HSET", "dead:story", digest(each), R"({"origin":"in","copies":)" + each + "}"});
        }
    };
    for (const std::string action : {"move", "delete", "redrive"}) {
        expect_all_or_nothing("filter_queue " + action, [&] {
            dead();
            return made(store::filter_queue_call{
                .list = "dead",
                .story = "dead:story",
                .target = action == "move" ? "other" : "dead",
                .action = action,
                .max_count = 100,
                .db = 0,
                .chosen = {store::choose("1", true), store::choose("2", false)}});
        });
    }
    for (const std::string which : {"1", "2"}) {
        expect_all_or_nothing(
            "redrive",
            [&] {
                dead();
                return made(store::redrive_call{.dead = "dead", .story = "dead:story", .db = 0, .message = which});
            },
            {"lpush"}); // its answer says why it cannot
    }
}

TEST_P(rights_of_taking, routes) {
    expect_all_or_nothing("take_answers", [this] {
        redis.call({"LPUSH", "a:i", "1", "2"});
        redis.call({"LPUSH", "a:i:given", "0"});
        return made(store::take_answers_call{
            .keys = store::answer_keys{"a"}, .instance = "i", .arrived = 1, .max_count = 10, .max_bytes = 1000});
    });
    expect_all_or_nothing("sweep_answers", [this] {
        redis.call({"ZADD", "a:instances", "1", "gone"});
        redis.call({"LPUSH", "a:gone", "1"});
        return made(store::sweep_answers_call{.keys = store::answer_keys{"a"}, .quiet = 1000, .forgotten = 1000});
    });
    for (std::int64_t burst : {0, 5}) {
        expect_all_or_nothing("limit_rate", [&] {
            return made(store::limit_rate_call{.counter = "limit", .limit = 2, .period = 1000, .burst = burst});
        });
    }
    expect_all_or_nothing("reserve_id", [this] {
        redis.call({"SET", "mark", "begun a-1 token in:pending:1:lease"});
        return made(store::reserve_id_call{.mark = "mark", .reservation = "mine", .again = 0, .seconds = 10});
    });
    expect_all_or_nothing("write_once", [] {
        store::write_once_call call{.mark = "mark", .keep = 60};
        std::vector<store::output> pushes{{.to = "a", .message = "1"}, {.to = "seen", .message = "x", .keep = 60}};
        store::write_pushes(pushes, call);
        return made(std::move(call));
    });
    expect_all_or_nothing("add_metrics", [] {
        store::added_metric row{
            .name = "m",
            .queue = "q",
            .scope = "both",
            .longest = 3,
            .last = "x",
            .fields = {"count", "1", "sum", "3"}};
        return made(store::add_metrics_call{
            .keys = store::message_keys{"ns"}, .writer = "me", .call = 1, .service = "s", .rows = {row}});
    });
}

class rights_of_tracking : public rights_of_taking {
protected:
    store::transfer_tracked_call transfer_call(bool kept) const {
        return {
            .keys = names,
            .source = "in",
            .outs = {"out0", "out1"},
            .max_count = 1000,
            .max_bytes = 1 << 20,
            .service = 1,
            .timeout = 10,
            .expire = 84,
            .capacity = 3,
            .kept = kept,
            .plan = kept ? plan : ""};
    }
    void deliver(const texts& messages, bool kept) {
        push(messages);
        EXPECT_FALSE(run(transfer_call(kept)).failed());
    }
    redis::script_call complete_call() const {
        return made(store::complete_call{.keys = names, .done = names.done(), .remember = 60, .max_count = 500});
    }
    store::time_out_call time_out_call() const { return {.keys = names, .remember = 60, .max_count = 500, .seed = 1}; }
    store::retry_call retry_call() const { return {.keys = names, .remember = 60, .max_count = 100}; }

    store::message_keys names{"ns"};
    const std::string plan = to_text(store::message_plan{
        .outs = {"out0", "out1"},
        .await = "all",
        .attempts = 2,
        .first = 4,
        .factor = 2,
        .max = 60,
        .timeout = 10,
        .expire = 84,
        .dead = "ns:message:dead",
        .source = "in"});
};

TEST_P(rights_of_tracking, transfers) {
    expect_all_or_nothing("transfer", [this] {
        push({"1", "2"});
        return made(store::transfer_call{.source = "in", .outs = {"out0", "out1"}, .max_count = 10, .max_bytes = 1000});
    });
    expect_all_or_nothing("transfer_tracked into another database", [&] {
        push({"1"});
        auto call = transfer_call(false);
        call.queue_db = "0";
        call.service_db = "1";
        return made(call);
    });
    for (bool kept : {false, true}) {
        expect_all_or_nothing("transfer_tracked", [&] {
            push({"1", "a", R"({"meta":{"id":"x"}})", "5"});
            return made(transfer_call(kept));
        });
    }
    expect_all_or_nothing("track", [this] {
        return made(store::track_call{
            .keys = names,
            .service = 1,
            .timeout = 10,
            .expire = 84,
            .capacity = 10,
            .kept = true,
            .plan = plan,
            .described = {"1", "number", "1", "2", "number", "2"}});
    });
}

TEST_P(rights_of_tracking, complete) {
    for (bool kept : {false, true}) {
        for (const std::string last : {"1", "1:out1"}) {
            expect_all_or_nothing("complete", [&] {
                deliver({"1", "2"}, kept);
                redis.call({"LPUSH", names.done(), "1:out0", last, "2:out0", "99", "nonsense"});
                return complete_call();
            });
        }
    }
    expect_all_or_nothing("complete the last", [&] {
        deliver({"1"}, false);
        redis.call({"LPUSH", names.done(), "1"});
        redis.call({"DEL", names.deadlines()});
        return complete_call();
    });
}

TEST_P(rights_of_tracking, time_out_and_retry) {
    for (bool kept : {false, true}) {
        expect_all_or_nothing("time_out", [&] {
            deliver({"1", "2"}, kept);
            now += 11'000;
            return made(time_out_call());
        });
    }
    auto wait_for_retry = [this] {
        deliver({"1", "2"}, true);
        now += 11'000;
        EXPECT_FALSE(run(time_out_call()).failed());
        now += 5000;
    };
    expect_all_or_nothing(
        "retry",
        [&] {
            wait_for_retry();
            redis.call({"DEL", names.prefix() + "2:body"});
            redis.call({"ZADD", names.retries(), "1", "somebody's own"});
            return made(retry_call());
        },
        {"lpush"}); // it waits for longer
    expect_all_or_nothing("retry into the wrong type", [&] {
        wait_for_retry();
        redis.call({"DEL", "out1"});
        redis.call({"SET", "out1", "text"});
        return made(retry_call());
    });
    expect_all_or_nothing(
        "give up",
        [&] {
            wait_for_retry();
            EXPECT_FALSE(run(retry_call()).failed());
            now += 11'000;
            return made(time_out_call());
        },
        {"lpush", "hlen"}); // it is given up when that can be written down
    expect_all_or_nothing("postpone", [&] {
        wait_for_retry();
        return made(store::delay_retries_call{.keys = names, .max_count = 10});
    });
    expect_all_or_nothing("retry_now", [&] {
        deliver({"1"}, true);
        return made(store::retry_now_call{.keys = names, .id = "1"});
    });
    expect_all_or_nothing("undo_retry", [&] {
        wait_for_retry();
        EXPECT_FALSE(run(retry_call()).failed());
        return made(store::undo_retry_call{.keys = names, .id = "1"});
    });
}

TEST_P(rights_of_tracking, compact) {
    for (std::int64_t count : {1, 10}) {
        expect_all_or_nothing("compact", [&] {
            deliver({"1", "2", "3"}, false);
            redis.call({"DEL", names.prefix() + "2"});
            redis.call({"SET", names.tracked(), "2"});
            return made(store::compact_call{.keys = names, .max_count = count});
        });
    }
}

class rights_of_services : public rights_of_taking {
protected:
    static redis::script_call enter() {
        return made(store::register_service_call{
            .keys = services, .host = "eowyn", .pid = "7", .expire = 60, .kind = "mpush", .name = "orders"});
    }
    void list_many(std::int64_t dead_from) {
        texts push{"LPUSH", services.ids()};
        for (std::int64_t id = 1; id <= 700; ++id) {
            push.push_back(std::to_string(id));
            if (id < dead_from) {
                redis.call({"HSET", services.service(id), "host", "other"});
            }
        }
        redis.call(push);
        redis.call({"SET", services.counter(), "700"});
    }
    static inline const store::service_keys services{"ns"};
};

TEST_P(rights_of_services, register_renew_and_end) {
    for (std::int64_t dead_from : {1, 600}) {
        expect_all_or_nothing("register_service", [&] {
            list_many(dead_from);
            return enter();
        });
        expect_all_or_nothing(
            "renew_service",
            [&] {
                list_many(dead_from);
                run_call_at(redis, enter(), now);
                return made(store::renew_service_call{
                    .keys = services,
                    .host = "eowyn",
                    .pid = "7",
                    .id = 701,
                    .started = std::to_string(now / 1000),
                    .expire = 60,
                    .renewed = "*"});
            },
            {"lset", "lrem", "set", "del", "llen", "lrange", "type"}); // the list stays as it is
    }
    expect_all_or_nothing("end_service", [&] {
        run_call_at(redis, enter(), now);
        return made(store::end_service_call{
            .keys = services, .host = "eowyn", .pid = "7", .id = 1, .started = std::to_string(now / 1000)});
    });
}

#define LEAT_ON_BOTH(suite)                                                                                            \
    INSTANTIATE_TEST_SUITE_P(                                                                                          \
        servers, suite, testing::ValuesIn(server_flavours()), [](const auto& instance) { return instance.param; })
LEAT_ON_BOTH(rights_of_taking);
LEAT_ON_BOTH(rights_of_tracking);
LEAT_ON_BOTH(rights_of_services);

} // namespace
} // namespace leat::tests
