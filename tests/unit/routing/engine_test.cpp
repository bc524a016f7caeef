#include "routing/engine.hpp"
#include "routing/processor.hpp"

#include <gmock/gmock.h>

namespace leat::routing {
namespace {

using namespace std::chrono_literals;
using clock = engine::clock;
using testing::ElementsAre;
using testing::IsEmpty;

const clock::time_point start{1000s};

// Does what the test says, and remembers what it was asked.
class actor final : public processor {
public:
    actor(std::string name, std::function<step(passage&)> acts)
        : processor{std::move(name)}
        , acts_{std::move(acts)} {}

    step forward(passage& on) override {
        ++came;
        number = on.number();
        return acts_(on);
    }
    void back(passage& on, std::int64_t note) override {
        notes.push_back(note);
        if (changes) {
            changes(on);
        }
    }
    void left(std::uint64_t which) override { gone.push_back(which); }

    int came = 0;
    std::uint64_t number = 0;
    std::vector<std::int64_t> notes;
    std::vector<std::uint64_t> gone;
    std::function<void(passage&)> changes;

private:
    std::function<step(passage&)> acts_;
};

class sender final : public departure {
public:
    void ended(passage& over) override { ends.push_back(told(over)); }
    static std::string told(const passage& over) {
        if (const auto* failed = std::get_if<message::error>(&over.outcome)) {
            return failed->name + "! " + failed->message;
        }
        const auto* reply = std::get_if<content>(&over.outcome);
        return reply != nullptr ? reply->text() : "-";
    }
    std::vector<std::string> ends;
};

class routes : public testing::Test {
protected:
    void send(route names, std::chrono::milliseconds timeout = 1000ms) {
        along = std::move(names);
        on.message = content{std::string{"m"}};
        on.begin(along, from, start, start + timeout);
        on.meta.importer = &importer;
        on.meta.timeout = timeout.count();
        passages.start(on);
    }

    actor pass{"pass", [](passage& over) {
                   over.note(7);
                   return step::pass;
               }};
    actor answer{"answer", [](passage& over) { return over.reply(content{over.message.text() + "!"}); }};
    actor refuse{"refuse", [](passage& over) { return over.fail("No", "not today"); }};
    actor wait{"wait", [](passage&) { return step::wait; }};
    std::string importer = "Importer.one";
    int earlier = 0;
    engine passages{[this] { ++earlier; }};
    sender from;
    route along;
    passage on;
};

TEST_F(routes, a_reply_comes_back_through_all_that_passed_it_on) {
    pass.changes = [](passage& back) { back.outcome = content{std::get<content>(back.outcome).text() + "?"}; };
    send({&pass, &pass, &answer});
    EXPECT_THAT(from.ends, ElementsAre("m!??"));
    EXPECT_THAT(pass.notes, ElementsAre(7, 7));
}

TEST_F(routes, who_refuses_is_not_asked_on_the_way_back) {
    send({&pass, &refuse, &answer});
    EXPECT_THAT(from.ends, ElementsAre("No! not today"));
    EXPECT_THAT(pass.notes, ElementsAre(7));
    EXPECT_THAT(refuse.notes, IsEmpty());
    EXPECT_EQ(answer.came, 0);
}

TEST_F(routes, one_may_turn_a_failure_into_a_reply_and_back) {
    pass.changes = [](passage& back) { back.outcome = content{std::string{"sorry"}}; };
    send({&pass, &refuse});
    EXPECT_THAT(from.ends, ElementsAre("sorry"));
}

TEST_F(routes, another_route_may_be_followed) {
    route other{&answer};
    actor turn{"turn", [&other](passage& at) { return at.follow(other); }};
    send({&turn, &refuse});
    EXPECT_THAT(from.ends, ElementsAre("m!"));
    EXPECT_EQ(turn.notes.size(), 1U);
}

TEST_F(routes, a_route_that_just_ends_is_a_failure) {
    send({&pass});
    EXPECT_THAT(from.ends, ElementsAre(testing::StartsWith("NoRoute!")));
}

TEST_F(routes, what_waits_goes_on_when_the_answer_is_there) {
    send({&pass, &wait});
    EXPECT_THAT(from.ends, IsEmpty());
    EXPECT_EQ(passages.waiting(), 1U);
    EXPECT_TRUE(passages.resume(wait.number, content{std::string{"later"}}, start + 5ms));
    EXPECT_THAT(from.ends, ElementsAre("later"));
    EXPECT_THAT(wait.notes, IsEmpty());
    EXPECT_THAT(pass.notes, ElementsAre(7));
    EXPECT_EQ(passages.next_deadline(), clock::time_point::max());
}

TEST_F(routes, who_waits_may_then_pass_it_on) {
    send({&wait, &answer});
    EXPECT_TRUE(passages.go_on(wait.number, start + 5ms));
    EXPECT_THAT(from.ends, ElementsAre("m!"));
    EXPECT_EQ(wait.notes.size(), 1U);
}

TEST_F(routes, the_time_is_over) {
    send({&pass, &wait}, 250ms);
    EXPECT_EQ(earlier, 1);
    EXPECT_EQ(passages.next_deadline(), start + 250ms);
    passages.expire(start + 249ms);
    EXPECT_THAT(from.ends, IsEmpty());
    passages.expire(start + 250ms);
    EXPECT_THAT(from.ends, ElementsAre("Timeout! Importer.one timeout (250ms)"));
    EXPECT_THAT(wait.gone, ElementsAre(wait.number));
}

TEST_F(routes, an_answer_that_comes_too_late_is_counted_and_dropped) {
    send({&wait}, 250ms);
    passages.expire(start + 250ms);
    EXPECT_FALSE(passages.resume(wait.number, content{std::string{"late"}}, start + 300ms));
    EXPECT_FALSE(passages.go_on(wait.number, start + 300ms));
    EXPECT_EQ(passages.late(), 2U);
    EXPECT_EQ(from.ends.size(), 1U);
}

TEST_F(routes, a_second_answer_is_too_late) {
    send({&wait});
    EXPECT_TRUE(passages.resume(wait.number, content{std::string{"first"}}, start));
    EXPECT_FALSE(passages.resume(wait.number, content{std::string{"second"}}, start));
    EXPECT_THAT(from.ends, ElementsAre("first"));
}

TEST_F(routes, an_old_answer_does_not_meet_the_next_message_of_the_same_vessel) {
    send({&wait}, 250ms);
    auto old = wait.number;
    passages.expire(start + 250ms);
    send({&wait}, 250ms);
    EXPECT_FALSE(passages.resume(old, content{std::string{"old"}}, start));
    EXPECT_EQ(passages.waiting(), 1U);
}

TEST_F(routes, a_processor_may_limit_what_comes_after_it) {
    actor limit{"Limit.one", [](passage& at) {
                    at.limit(100ms);
                    return step::pass;
                }};
    send({&limit, &wait}, 1000ms);
    EXPECT_EQ(passages.next_deadline(), start + 100ms);
    passages.expire(start + 100ms);
    EXPECT_THAT(from.ends, ElementsAre("Timeout! Limit.one timeout (100ms)"));
    EXPECT_EQ(limit.notes.size(), 1U);
}

TEST_F(routes, the_limit_of_who_waits_is_over_when_it_goes_on) {
    actor limited{"Ask.one", [](passage& at) {
                      at.limit(100ms);
                      return step::wait;
                  }};
    send({&limited, &wait}, 1000ms);
    EXPECT_TRUE(passages.go_on(limited.number, start + 50ms));
    EXPECT_EQ(passages.next_deadline(), start + 100ms); // as of a filter: what comes after it counts
}

TEST_F(routes, what_waits_can_be_given_up) {
    sender other;
    passage beside;
    send({&wait});
    beside.begin(along, other, start, start + 1s);
    passages.start(beside);
    passages.abandon(from, {"GivenUp", "we stop"}, start);
    EXPECT_THAT(from.ends, ElementsAre("GivenUp! we stop"));
    EXPECT_THAT(other.ends, IsEmpty());
    passages.forget(beside.number());
    EXPECT_EQ(passages.waiting(), 0U);
}

} // namespace
} // namespace leat::routing
