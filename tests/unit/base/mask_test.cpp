#include "base/mask.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace leat::base {
namespace {

std::string masked(std::string_view text, const std::vector<std::string>& secrets) {
    return mask_secrets(text, secrets);
}

TEST(mask_secrets, hides_every_occurrence_of_every_secret) {
    EXPECT_EQ(masked("AUTH 'bob' 'hunter2', yes 'hunter2'", {"hunter2", "bob"}), "AUTH '***' '***', yes '***'");
    EXPECT_EQ(masked("hunter2", {"hunter2"}), "***");
    EXPECT_EQ(masked("", {"hunter2"}), "");
    EXPECT_EQ(masked("all is well", {"hunter2"}), "all is well");
}

TEST(mask_secrets, knows_no_empty_secret) {
    EXPECT_EQ(masked("nothing to hide", {}), "nothing to hide");
    EXPECT_EQ(masked("nothing to hide", {"", ""}), "nothing to hide");
    EXPECT_EQ(masked("args beginning with: '3' '' ", {""}), "args beginning with: '3' '' ");
}

TEST(mask_secrets, hides_a_secret_within_another_and_within_words) {
    EXPECT_EQ(masked("'bob' 'bob7bob'", {"bob7bob", "bob"}), "'***' '***'");
    EXPECT_EQ(masked("'bob' 'bob7bob'", {"bob", "bob7bob"}), "'***' '***'");
    EXPECT_EQ(masked("unknown command", {"own"}), "unkn*** command");
    EXPECT_EQ(masked("aaa aa", {"aa"}), "*** ***");
    EXPECT_EQ(masked("banana", {"n"}), "ba***a***a");
    EXPECT_EQ(masked("a * b", {"*"}), "a *** b");
}

TEST(mask_secrets, hides_a_secret_however_it_is_encoded) {
    EXPECT_EQ(masked("at p@ss/1 or p%40ss%2F1 or %70%40ss%2f1", {"p@ss/1"}), "at *** or *** or ***");
    EXPECT_EQ(masked("100%25 or 100%", {"100%"}), "*** or ***");
    EXPECT_EQ(masked("%2541", {"%41"}), "***");
    EXPECT_EQ(masked("A%", {"%41"}), "A%");
}

// Redis makes spaces of what would end its line, and knows a text to its first zero byte.
TEST(mask_secrets, hides_a_secret_as_redis_writes_it) {
    using namespace std::string_literals;
    EXPECT_EQ(masked("'two  lines' ", {"two\r\nlines"}), "'***' ");
    EXPECT_EQ(masked("'ab' ", {"ab\0cd"s}), "'***' ");
    EXPECT_EQ(masked("'ab\0cd' "s, {"ab\0cd"s}), "'***' ");
}

TEST(mask_secrets, hides_the_part_of_a_long_secret_that_redis_quotes) {
    std::string secret(200, 'x');
    secret.replace(0, 3, "a'b");
    auto text = [](const std::string& last) {
        return "ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'bob' '" + last + "' ";
    };
    for (std::size_t length = 1; length < secret.size(); ++length) {
        EXPECT_EQ(masked(text(secret.substr(0, length)), {secret}), text("***")) << length;
    }
    EXPECT_EQ(
        masked("with args beginning with: `3`, `AUTH`, `a'bx`, ", {secret}),
        "with args beginning with: `3`, `AUTH`, `***`, ");
    EXPECT_EQ(masked(text("other"), {secret}), text("other"));
    EXPECT_EQ(masked("this is no command: 'a'", {secret}), "this is no command: 'a'");
}

TEST(mask_url, hides_the_password_and_nothing_else) {
    EXPECT_EQ(mask_url("redis://user:secret@host:6379/0"), "redis://user:***@host:6379/0");
    EXPECT_EQ(mask_url("redis://:secret@host"), "redis://:***@host");
    EXPECT_EQ(mask_url("unix://u:secret@/tmp/s.sock?db=1"), "unix://u:***@/tmp/s.sock?db=1");
    EXPECT_EQ(mask_url("redis://localhost:6379/0"), "redis://localhost:6379/0");
    EXPECT_EQ(mask_url("unix:///tmp/s.sock?password=secret&db=2"), "unix:///tmp/s.sock?password=***&db=2");
    EXPECT_EQ(mask_url("not a url"), "not a url");
}

TEST(mask_url, hides_a_password_that_should_have_been_encoded) {
    EXPECT_EQ(mask_url("redis://user:sec/ret@host/0"), "redis://user:***@host/0");
    EXPECT_EQ(mask_url("redis://user:sec@ret@host/0"), "redis://user:***@host/0");
    EXPECT_EQ(mask_url("redis://user:sec?ret@host/0"), "redis://user:***@host/0");
    EXPECT_EQ(mask_url("redis://user:a/b@x@host"), "redis://user:***@host");
    EXPECT_EQ(mask_url("user:secret@host"), "user:***@host");
    EXPECT_EQ(mask_url("redis://h:1?password=sec@ret"), "redis://h:1?password=***");
}

} // namespace
} // namespace leat::base
