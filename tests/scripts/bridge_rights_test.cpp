// A user of a bridge may lack the right to any command: then a call does nothing at all and says so, or does without.
#include "support/bridge_case.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <sstream>

namespace leat::tests {
namespace {

using sending = store::bridge_sending;

class bridge_rights : public testing::TestWithParam<std::string> {
protected:
    clocked_server server{GetParam()};
    bridge_user user{server};
    client admin{server.connect()};
    using act = std::function<void(bridge_user&)>;

    void SetUp() override {
        user.setup.dead = "dead";
        user.setup.source = "in";
        user.setup.answers = "answers";
        user.setup.out = "out";
        admin.call({"ACL", "SETUSER", "some", "reset", "on", "nopass", "+@all", "~*", "&*"});
        user.redis.call({"AUTH", "some", "x"});
    }

    // A request with two replies, the first of which was pushed to its origin.
    void come() {
        admin.call({"ACL", "SETUSER", "some", "reset", "on", "nopass", "+@all", "~*", "&*"});
        admin.call({"FLUSHALL"});
        user.request("c", "q");
        user.respond("c", "q", "a1");
        user.respond("c", "q", "a2");
    }
    // What is written among the dead letters is asked for by the item that does.
    static void done(store::bridge_state how) {
        if (how == store::bridge_state::error) {
            throw std::runtime_error{"NOPERM of one item"};
        }
    }
    // As its gateway reads it, who may.
    store::bridge_claim pushed() {
        auto text = admin.call({"LINDEX", "out:whatsapp", "-1"}).text;
        auto at = text.find("\"fence\":");
        store::bridge_claim made;
        made.ids = {"q", "a1", "c"};
        made.token = std::stoll(text.substr(at + 8));
        made.origin = "whatsapp";
        return made;
    }

    std::set<std::string> commands_of(const act& prepare, const act& what) {
        prepare(user);
        admin.call({"CONFIG", "RESETSTAT"});
        what(user);
        std::istringstream lines{admin.call({"INFO", "commandstats"}).text};
        std::set<std::string> found;
        for (std::string line; std::getline(lines, line);) {
            auto name = line.substr(0, line.find(':'));
            if (name.starts_with("cmdstat_") && name.find('|') == std::string::npos) {
                found.insert(name.substr(8));
            }
        }
        // They call the script, or nothing depends on them; and without LPUSH deliveries wait, with a word in the log.
        for (const auto* none : {"eval", "evalsha", "info", "time", "hincrby", "xadd", "persist", "pttl", "lpush"}) {
            found.erase(none);
        }
        return found;
    }

    void expect_all_or_nothing(const std::string& name, const act& prepare, const act& what) {
        auto commands = commands_of(prepare, what);
        EXPECT_GT(commands.size(), 5U);
        for (const auto& command : commands) {
            prepare(user);
            auto before = user.keyspace();
            admin.call({"ACL", "SETUSER", "some", "-" + command});
            auto without = name + " without " + command;
            try {
                what(user);
                ADD_FAILURE() << without << ": it was not refused";
            } catch (const std::runtime_error& refused) {
                EXPECT_EQ(redis::classify(refused.what()), redis::error_class::stop)
                    << without << ": " << refused.what();
            }
            admin.call({"ACL", "SETUSER", "some", "+@all"});
            EXPECT_EQ(user.keyspace(), before) << without;
        }
    }
};

TEST_P(bridge_rights, what_comes_is_accepted_or_refused_as_a_whole) {
    act prepare = [this](bridge_user&) { come(); };
    expect_all_or_nothing("a request", prepare, [](bridge_user& by) { done(by.request("c", "q2")); });
    expect_all_or_nothing("a response", prepare, [](bridge_user& by) { done(by.respond("d", "p", "b1")); });
    expect_all_or_nothing("a response in a line", prepare, [](bridge_user& by) { done(by.respond("c", "q", "a3")); });
    expect_all_or_nothing("a cancellation", prepare, [](bridge_user& by) { done(by.cancel("q")); });
}

TEST_P(bridge_rights, an_outcome_is_noted_or_refused_as_a_whole) {
    act prepare = [this](bridge_user&) { come(); };
    auto outcome = [this](sending how, const std::string& detail) {
        return [this, how, detail](bridge_user& by) { done(by.complete(pushed(), how, detail)); };
    };
    expect_all_or_nothing("sent", prepare, outcome(sending::sent, ""));
    expect_all_or_nothing("sent under a name", prepare, outcome(sending::sent_async, "n1"));
    expect_all_or_nothing("a failure", prepare, outcome(sending::recoverable, "503"));
    expect_all_or_nothing("a failure for good", prepare, outcome(sending::fatal, "404"));
    act sent = [this](bridge_user& by) {
        come();
        by.complete(pushed(), sending::sent_async, "n1");
    };
    expect_all_or_nothing("an acknowledgement", sent, [](bridge_user& by) { done(by.acknowledge("n1")); });
}

INSTANTIATE_TEST_SUITE_P(servers, bridge_rights, testing::ValuesIn(server_flavours()));

} // namespace
} // namespace leat::tests
