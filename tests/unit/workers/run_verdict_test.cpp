#include "workers/run_verdict.hpp"

#include <gmock/gmock.h>

namespace leat::workers {
namespace {

using type = taking::verdict::type;
using testing::IsEmpty;

exec_settings settings() {
    exec_settings made;
    made.timeout = 60;
    made.max_output = 1000;
    made.reply = "answers";
    return made;
}

command_end ended(int code, std::string last_words = {}) {
    command_end made;
    made.code = code;
    made.last_words = std::move(last_words);
    return made;
}

TEST(run_verdict, what_ends_with_0_is_done_and_its_output_is_the_answer) {
    auto run = ended(0, "a warning");
    run.output = "42\n";
    auto made = verdict_of(settings(), run);
    EXPECT_EQ(made.is, type::done);
    EXPECT_EQ(made.reason, "") << "what a command says that has succeeded is its own affair";
    ASSERT_EQ(made.pushes.size(), 1U);
    EXPECT_EQ(made.pushes[0].to, "answers");
    EXPECT_EQ(made.pushes[0].message, "42\n");
    EXPECT_FALSE(made.pushes[0].by_message);
    EXPECT_EQ(made.pushes[0].keep, 0);
}

TEST(run_verdict, an_empty_output_is_an_answer_too) {
    auto made = verdict_of(settings(), ended(0));
    ASSERT_EQ(made.pushes.size(), 1U);
    EXPECT_EQ(made.pushes[0].message, "");
}

TEST(run_verdict, without_a_reply_nothing_is_pushed) {
    auto mute = settings();
    mute.reply.reset();
    auto made = verdict_of(mute, ended(0));
    EXPECT_EQ(made.is, type::done);
    EXPECT_THAT(made.pushes, IsEmpty());
}

TEST(run_verdict, every_other_code_is_tried_again_and_answers_nothing) {
    for (int code : {1, 2, 64, 66, 126, 127, 255}) {
        auto run = ended(code);
        run.output = "half an answer";
        auto made = verdict_of(settings(), run);
        EXPECT_EQ(made.is, type::again) << code;
        EXPECT_EQ(made.reason, "exit code " + std::to_string(code));
        EXPECT_THAT(made.pushes, IsEmpty()) << code;
    }
}

TEST(run_verdict, codes_that_say_never_are_dead) {
    EXPECT_EQ(verdict_of(settings(), ended(65)).is, type::dead) << "EX_DATAERR is the default";
    auto own = settings();
    own.dead_codes = {"3", "4"};
    EXPECT_EQ(verdict_of(own, ended(3)).is, type::dead);
    EXPECT_EQ(verdict_of(own, ended(4)).is, type::dead);
    EXPECT_EQ(verdict_of(own, ended(65)).is, type::again);
    EXPECT_EQ(verdict_of(own, ended(34)).is, type::again) << "it only begins with one of them";
    own.dead_codes = {"0"};
    EXPECT_EQ(verdict_of(own, ended(0)).is, type::done) << "what has succeeded has succeeded";
}

TEST(run_verdict, the_last_words_are_the_reason) {
    EXPECT_EQ(verdict_of(settings(), ended(1, "no such customer")).reason, "exit code 1: no such customer");
    EXPECT_EQ(verdict_of(settings(), ended(65, "not JSON")).reason, "exit code 65: not JSON");
}

TEST(run_verdict, a_signal_is_tried_again) {
    auto run = ended(0, "about to crash");
    run.signal = 11;
    auto made = verdict_of(settings(), run);
    EXPECT_EQ(made.is, type::again);
    EXPECT_EQ(made.reason, "ended by signal 11: about to crash");
}

TEST(run_verdict, what_takes_too_long_is_tried_again_however_it_was_ended) {
    auto run = ended(0);
    run.too_late = true;
    run.signal = 9; // ours
    auto made = verdict_of(settings(), run);
    EXPECT_EQ(made.is, type::again);
    EXPECT_EQ(made.reason, "did not end within 60 s");
}

TEST(run_verdict, too_much_output_is_dead_however_it_was_ended) {
    auto run = ended(0);
    run.too_much = true;
    run.too_late = true;
    run.signal = 9;
    auto made = verdict_of(settings(), run);
    EXPECT_EQ(made.is, type::dead);
    EXPECT_EQ(made.reason, "its output is larger than maxOutput, 1000 bytes");
}

TEST(run_verdict, what_was_ended_because_leat_stops_goes_back_and_blames_nobody) {
    auto run = ended(1, "interrupted");
    run.abandoned = true;
    run.signal = 15;
    run.too_late = true;
    auto made = verdict_of(settings(), run);
    EXPECT_EQ(made.is, type::give_back);
    EXPECT_EQ(made.reason, "");
}

} // namespace
} // namespace leat::workers
