#include "bridge/bridge_message.hpp"

#include <gmock/gmock.h>

namespace leat::bridge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using verb = store::bridge_verb;
using words = std::vector<std::string>;

words item(std::string_view text, verb expected = verb::accept) {
    auto read = read_bridge_message(text);
    if (!read) {
        ADD_FAILURE() << read.error().text;
        return {};
    }
    EXPECT_EQ(read->verb, expected);
    return read->item;
}
words answer(std::string_view text) {
    auto read = read_delivery_answer(text);
    if (!read) {
        ADD_FAILURE() << read.error().text;
        return {};
    }
    EXPECT_EQ(read->verb, verb::conclude);
    return read->item;
}
std::string wrong(std::string_view text) {
    auto read = read_bridge_message(text);
    return read ? "nothing" : read.error().text;
}
std::string wrong_answer(std::string_view text) {
    auto read = read_delivery_answer(text);
    return read ? "nothing" : read.error().text;
}

TEST(bridge_message, tells_what_it_is) {
    using type = bridge_wish::type;
    auto is = [](std::string_view text) { return read_bridge_message(text)->is; };
    EXPECT_EQ(is(R"({"type":"request","conversationId":"c","requestId":"r","origin":"o"})"), type::request);
    EXPECT_EQ(
        is(R"({"type":"response","conversationId":"c","requestId":"r","responseId":"a","origin":"o"})"),
        type::response);
    EXPECT_EQ(is(R"({"type":"ack","asyncResponseId":"n"})"), type::acknowledgement);
    EXPECT_EQ(is(R"({"type":"cancel","requestId":"r"})"), type::cancellation);
    auto outcome =
        read_delivery_answer(R"({"conversationId":"c","requestId":"r","responseId":"a","fence":1,"status":"sent"})");
    EXPECT_EQ(outcome->is, type::outcome);
}

TEST(bridge_message, a_request) {
    EXPECT_THAT(
        item(R"({"type":"request","conversationId":"c","requestId":"r","origin":"o"})"),
        ElementsAre("q", "c", "", "o", "r", "0"));
    EXPECT_THAT(
        item(
            R"({"requestTimestamp":2199023255551,"origin":"o","requestId":7,"conversationId":"a{b}","type":"request"})"),
        ElementsAre("q", "a{b}", "a%7Bb%7D", "o", "7", "2199023255551"));
}

TEST(bridge_message, a_response) {
    EXPECT_THAT(
        item(
            R"({"type":"response","conversationId":"c","requestId":"r","responseId":"a","origin":"o","body":{ "n": 1.10 }})"),
        ElementsAre(
            "r", "c", "", "o", "r", "a", "0", R"({"rqId":"r","rsId":"a","cnId":"c"})", R"({"body":{ "n": 1.10 }})",
            "0"));
    EXPECT_THAT(
        item(R"({"type":"response","conversationId":"c","requestId":"r","responseId":"a","origin":"o","more":true,
                 "responseTimestamp":12,"corr":"x\"y"})"),
        ElementsAre(
            "r", "c", "", "o", "r", "a", "12", R"({"rqId":"r","rsId":"a","cnId":"c"})",
            R"({"corr":"x\"y","body":null})", "1"));
}

TEST(bridge_message, an_acknowledgement) {
    auto conclude = verb::conclude;
    EXPECT_THAT(item(R"({"type":"ack","asyncResponseId":"n"})", conclude), ElementsAre("k", "", "n", "s", ""));
    EXPECT_THAT(
        item(R"({"type":"ack","asyncResponseId":"n","origin":"o","status":"delivered"})", conclude),
        ElementsAre("k", "o", "n", "s", ""));
    EXPECT_THAT(
        item(R"({"type":"ack","asyncResponseId":"n","status":"error","reason":"gone"})", conclude),
        ElementsAre("k", "", "n", "f", "gone"));
    EXPECT_THAT(
        item(R"({"type":"ack","asyncResponseId":"n","status":"error","recoverable":true})", conclude),
        ElementsAre("k", "", "n", "r", ""));
    EXPECT_THAT(
        item(R"({"type":"ack","asyncResponseId":"n","status":"error","recoverable":false})", conclude),
        ElementsAre("k", "", "n", "f", ""));
}

TEST(bridge_message, a_cancellation) {
    EXPECT_THAT(
        item(R"({"type":"cancel","requestId":"r"})"),
        ElementsAre("x", "", "r", R"({"rqId":"r","rsId":")", "no reply will come"));
    EXPECT_THAT(
        item(R"({"type":"cancel","requestId":"r","conversationId":"c","reason":"typing"})"),
        ElementsAre("x", "c", "r", R"({"rqId":"r","rsId":")", "typing"));
}

TEST(bridge_message, each_way_that_a_delivery_can_end) {
    EXPECT_THAT(
        answer(R"({"conversationId":"c","requestId":"r","responseId":"a","fence":9007199254740991,"status":"sent"})"),
        ElementsAre(
            "c", "c", "", "r", "a", R"({"rqId":"r","rsId":"a","cnId":"c"})", "9007199254740991", "s", "", "0", ""));
    EXPECT_THAT(
        answer(
            R"({"conversationId":"c","requestId":"r","responseId":"a","fence":1,"status":"sent","asyncResponseId":"n","origin":"o"})"),
        ElementsAre("c", "c", "", "r", "a", R"({"rqId":"r","rsId":"a","cnId":"c"})", "1", "a", "n", "0", "o"));
    EXPECT_THAT(
        answer(
            R"({"conversationId":"c","requestId":"r","responseId":"a","fence":1,"status":"recoverable","reason":"503","retryAfter":86400000})"),
        ElementsAre("c", "c", "", "r", "a", R"({"rqId":"r","rsId":"a","cnId":"c"})", "1", "r", "503", "86400000", ""));
    EXPECT_THAT(
        answer(R"({"conversationId":"x:req","requestId":"r","responseId":"a","fence":0,"status":"fatal"})"),
        ElementsAre(
            "c", "x:req", "x%3Areq", "r", "a", R"({"rqId":"r","rsId":"a","cnId":"x:req"})", "0", "f", "", "0", ""));
}

TEST(bridge_message, a_body_is_found_however_its_name_is_written) {
    auto wish = read_bridge_message(
        R"({"type":"response","conversationId":"c","requestId":"r","responseId":"a","origin":"o","b\u006fdy":{"n":1}})");
    ASSERT_TRUE(wish);
    EXPECT_EQ(wish->item.at(8), R"({"body":{"n":1}})");
}

TEST(bridge_message, of_what_is_there_twice_the_last_counts_also_for_the_body) {
    auto read = item(
        R"({"type":"response","conversationId":"c","requestId":"r","responseId":"a","origin":"o","origin":"p","body":1,"body":2})");
    EXPECT_EQ(read[3], "p");
    EXPECT_EQ(read[8], R"({"body":2})");
}

TEST(bridge_message, what_is_no_message) {
    EXPECT_THAT(wrong(""), HasSubstr("it is not JSON"));
    EXPECT_THAT(wrong("{"), HasSubstr("it is not JSON"));
    EXPECT_THAT(wrong("{} {}"), HasSubstr("it is not JSON"));
    EXPECT_THAT(wrong("{\"type\":\"\xff\"}"), HasSubstr("it is not JSON"));
    EXPECT_EQ(wrong("[]"), "it is not a JSON object");
    EXPECT_EQ(wrong("{}"), "type must be request, response, ack or cancel");
    EXPECT_EQ(wrong(R"({"type":"REQUEST"})").substr(0, 45), "type must be request, response, ack or cancel");
    EXPECT_THAT(wrong(R"({"type":"respons"})"), HasSubstr("did you mean response?"));
    EXPECT_EQ(wrong_answer("1"), "it is not a JSON object");
}

TEST(bridge_message, the_first_mistake_is_told) {
    EXPECT_EQ(wrong(R"({"type":"request"})"), "conversationId is missing");
    EXPECT_EQ(wrong(R"({"type":"response","conversationId":"c","requestId":1.5})"), "requestId must be a text");
    EXPECT_EQ(
        wrong_answer(R"({"conversationId":"c","requestId":"r","responseId":"a","status":"sent"})"), "fence is missing");
}

TEST(bridge_message, each_mistake) {
    const std::string start =
        R"({"type":"response","conversationId":"c","requestId":"r","responseId":"a","origin":"o",)";
    struct {
        std::string member;
        const char* told;
    } cases[]{
        {R"("conversationId":"")", "conversationId must have 1 to 1024 bytes"},
        {R"("requestId":")" + std::string(1025, 'x') + "\"", "requestId must have 1 to 1024 bytes"},
        {R"("responseId":null)", "responseId must be a text"},
        {R"("origin":true)", "origin must be a text"},
        {R"("origin":{})", "origin must be a text"},
        {R"("origin":"whatsapp:pending:1")", "origin names a key that leat has beside a queue"},
        {R"("origin":"whatsapp:dead")", "origin names a key that leat has beside a queue"},
        {R"("origin":"a:dead:reply:b")", "origin names a key that leat has beside a queue"},
        {R"("responseTimestamp":-1)", "responseTimestamp must be a whole number from 0 to 2199023255551"},
        {R"("responseTimestamp":2199023255552)", "responseTimestamp must be a whole number from 0 to 2199023255551"},
        {R"("responseTimestamp":1.0)", "responseTimestamp must be a whole number from 0 to 2199023255551"},
        {R"("responseTimestamp":18446744073709551615)", "responseTimestamp must be"},
        {R"("responseTimestamp":"1")", "responseTimestamp must be"},
        {R"("more":"true")", "more must be true or false"},
        {R"("corr":1)", "corr must be a text"},
    };
    for (const auto& each : cases) {
        EXPECT_THAT(wrong(start + each.member + "}"), HasSubstr(each.told)) << each.member;
    }
    EXPECT_EQ(wrong(start + R"("origin":"dead:line:deadline:pending1"})"), "nothing");
    EXPECT_EQ(wrong(start + R"("other":[]})"), "nothing") << "what is unknown is nobody's business";
    EXPECT_EQ(wrong(R"({"type":"ack","asyncResponseId":"n","origin":""})"), "origin must have 1 to 1024 bytes");
    EXPECT_EQ(wrong(R"({"type":"ack","asyncResponseId":"n","status":"sent"})"), "status must be delivered or error");
    EXPECT_EQ(
        wrong(R"({"type":"ack","asyncResponseId":"n","status":"error","recoverable":1})"),
        "recoverable must be true or false");
    EXPECT_EQ(wrong(R"({"type":"cancel","requestId":"r","reason":1})"), "reason must be a text");
}

TEST(bridge_message, each_mistake_of_an_answer) {
    const std::string start = R"({"conversationId":"c","requestId":"r","responseId":"a","fence":1,"status":"sent",)";
    for (const auto& [member, told] : std::map<std::string, std::string>{
             {R"("fence":-1)", "fence must be a whole number from 0 to 9007199254740991"},
             {R"("fence":9007199254740992)", "fence must be a whole number"},
             {R"("fence":"1")", "fence must be a whole number"},
             {R"("status":"SENT")", "status must be sent, recoverable or fatal"},
             {R"("status":"")", "status must be sent, recoverable or fatal"},
             {R"("status":1)", "status must be a text"},
             {R"("asyncResponseId":"")", "asyncResponseId must have 1 to 1024 bytes"},
             {R"("asyncResponseId":null)", "asyncResponseId must be a text"},
             {R"("status":"recoverable","retryAfter":86400001)",
              "retryAfter must be a whole number from 0 to 86400000"},
             {R"("status":"recoverable","retryAfter":-1)", "retryAfter must be a whole number"},
             {R"("status":"fatal","reason":[])", "reason must be a text"},
             {R"("origin":"")", "origin must have 1 to 1024 bytes"}}) {
        EXPECT_THAT(wrong_answer(start + member + "}"), HasSubstr(told)) << member;
    }
}

} // namespace
} // namespace leat::bridge
