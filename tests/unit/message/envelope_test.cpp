#include "message/base64.hpp"
#include "message/envelope.hpp"

#include <gtest/gtest.h>

namespace leat::message {
namespace {

TEST(envelope, a_request_for_a_worker) {
    request asked{.id = "7", .deadline = 1459103237000, .reply = "q:reply", .trace_parent = "", .body = "say \"hi\"\n"};
    EXPECT_EQ(write(asked), R"({"meta":{"id":"7","deadline":1459103237000,"reply":"q:reply"},"body":"say \"hi\"\n"})");
    std::string bytes{"\xff\x00z", 3};
    asked.body = bytes;
    asked.trace_parent = "00-1-2-01";
    EXPECT_EQ(
        write(asked), R"({"meta":{"id":"7","deadline":1459103237000,"reply":"q:reply","traceparent":"00-1-2-01"},)"
                      R"("body":"/wB6","encoding":"base64"})");
}

TEST(envelope, text_stays_text_unless_its_escapes_would_blow_it_up) {
    std::string quotes;
    for (int i = 0; i < 1000; ++i) {
        quotes += "\"a\",\n";
    }
    auto is_base64 = [](const std::string& body) {
        return write_answer("1", body).find("\"encoding\":\"base64\"") != std::string::npos;
    };
    EXPECT_FALSE(is_base64(quotes));
    EXPECT_FALSE(is_base64(std::string(100'000, '\x01'))) << "it is not worth it";
    EXPECT_FALSE(is_base64(std::string(2'000'000, 'x')));
    EXPECT_TRUE(is_base64(std::string(1'000'000, '\x01')));
    EXPECT_EQ(read_answer(write_answer("1", std::string(1'000'000, '\x01')))->body, std::string(1'000'000, '\x01'));
}

TEST(envelope, answers_come_back_as_they_were) {
    for (const std::string& body :
         {std::string{}, std::string{"text"}, std::string{"\xff\xfe\x00", 3}, std::string(100, 'x')}) {
        auto read = read_answer(write_answer("\"a:1\"", body));
        ASSERT_TRUE(read);
        EXPECT_EQ(read->id, "a:1");
        EXPECT_EQ(read->body, body);
        EXPECT_FALSE(read->error);
    }
    auto failed = read_answer(write_error("1", {.name = "Timeout", .message = "too \"late\""}));
    EXPECT_EQ(failed->id, "1");
    EXPECT_EQ(failed->error->name, "Timeout");
    EXPECT_EQ(failed->error->message, "too \"late\"");
    EXPECT_EQ(to_json(*failed->error), R"({"name":"Timeout","message":"too \"late\""})");
}

TEST(envelope, workers_may_answer_with_numbers_and_other_json) {
    auto read = read_answer(R"({"body":{"a":[1,2]},"meta":{"id":12}})");
    EXPECT_EQ(read->id, "12");
    EXPECT_EQ(read->body, R"({"a":[1,2]})");
    EXPECT_TRUE(read->is_json);
    EXPECT_EQ(read_answer(R"({"meta":{"id":1},"body": 1.10 ,"x":"}"})")->body, "1.10");
    EXPECT_EQ(read_answer(R"({"b\u006fdy":[ 5 ],"meta":{"id":1}})")->body, "[5]"); // written in another way
    auto failed = read_answer(R"({"meta":{"id":1},"error":{"name":"No","message":"why","code":7.50}})");
    EXPECT_EQ(failed->error->name, "No");
    EXPECT_EQ(to_json(*failed->error), R"({"name":"No","message":"why","code":7.50})");
    EXPECT_EQ(read_answer(R"({"meta":{"id":1},"error":"just text"})")->error->message, "just text");
    EXPECT_EQ(read_answer(R"({"meta":{"id":"1"},"error":null,"body":"x"})")->body, "x");
}

TEST(envelope, large_answers_come_back_as_they_were) {
    std::string text(2 << 20, 'x');
    auto numbers = "[" + std::string(2 << 20, ' ') + "1.10]";
    EXPECT_EQ(read_answer(R"({"meta":{"id":"7"},"body":")" + text + "\"}").value().body, text);
    EXPECT_EQ(
        read_answer(R"({"meta":{"id":"7"},"encoding":"base64","body":")" + to_base64(text) + "\"}").value().body, text);
    auto listed = read_answer(R"({"meta":{"id":7},"body":)" + numbers + "}").value();
    EXPECT_TRUE(listed.is_json);
    EXPECT_EQ(listed.body, numbers);
    EXPECT_EQ(listed.id, "7");
    auto failed = read_answer(R"({"meta":{"id":"7"},"error":{"message":")" + text + "\"}}").value();
    ASSERT_TRUE(failed.error);
    EXPECT_EQ(failed.error->raw, R"({"message":")" + text + "\"}");
    EXPECT_FALSE(read_answer(R"({"meta":{"id":"7"},"encoding":"base64","body":")" + text + "!\"}"));
}

TEST(envelope, what_is_no_answer_is_told) {
    for (const auto* wrong :
         {"", "x", "[1]", "{}", R"({"meta":{}})", R"({"meta":{"id":"1"}})", R"({"meta":{"id":[]},"body":""})",
          R"({"meta":{"id":"1"},"body":"%%","encoding":"base64"})"}) {
        EXPECT_TRUE(read_answer(wrong).has_error()) << wrong;
    }
}

TEST(envelope, what_the_asker_says) {
    auto said = read_asker(R"( {"meta":{"id":5,"reply":"me","traceparent":"t"},"x":1})");
    EXPECT_EQ(said.id, "5");
    EXPECT_EQ(said.raw_id, "5");
    EXPECT_EQ(read_asker(R"({"meta":{"id":12345678901234567890123}})").raw_id, "12345678901234567890123");
    EXPECT_EQ(read_asker(R"({"meta":{"id":"a\"b"}})").raw_id, R"("a\"b")");
    EXPECT_EQ(read_asker(R"({"meta":{"id":[1]}})").raw_id, "");
    EXPECT_EQ(said.reply, "me");
    EXPECT_EQ(said.trace_parent, "t");
    for (const auto* none :
         {"", "x", "12", R"({"meta":1})", R"({"meta":{"reply":1.5}})", R"({"meta":{"reply":"q"})", "\"meta\""}) {
        EXPECT_EQ(read_asker(none).reply, "") << none;
    }
}

} // namespace
} // namespace leat::message
