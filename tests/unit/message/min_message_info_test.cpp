#include "message/min_message_info.hpp"

#include <gtest/gtest.h>

using namespace std::string_literals;

namespace leat::message {
namespace {

struct vector {
    min_message_info info;
    std::string text; // what JSON.stringify({rqId, rsId, cnId}) of Node 20 writes
};

const vector golden[]{
    {{"rq-message-1", "res-message-1-1", "conv-01"},
     R"({"rqId":"rq-message-1","rsId":"res-message-1-1","cnId":"conv-01"})"},
    {{"a\"b", "c\\d", "e/f"}, R"({"rqId":"a\"b","rsId":"c\\d","cnId":"e/f"})"},
    {{"\b\f\n\r\t", "\0\1\x1f"s, "\x7f"},
     "{\"rqId\":\"\\b\\f\\n\\r\\t\",\"rsId\":\"\\u0000\\u0001\\u001f\",\"cnId\":\"\x7f\"}"},
    {{"\xc3\xbc", "\xe2\x80\xa8\xe2\x80\xa9", "\xf0\x9f\x98\x80"},
     "{\"rqId\":\"\xc3\xbc\",\"rsId\":\"\xe2\x80\xa8\xe2\x80\xa9\",\"cnId\":\"\xf0\x9f\x98\x80\"}"},
    {{"<>&'", R"({"rqId":"x"})", R"(","rsId":")"},
     R"({"rqId":"<>&'","rsId":"{\"rqId\":\"x\"}","cnId":"\",\"rsId\":\""})"},
    {{"\xef\xbb\xbf", "\xef\xbf\xbd\xef\xbf\xbf", "e\xcc\x81"},
     "{\"rqId\":\"\xef\xbb\xbf\",\"rsId\":\"\xef\xbf\xbd\xef\xbf\xbf\",\"cnId\":\"e\xcc\x81\"}"},
    {{"", "\x19", " "}, R"({"rqId":"","rsId":"\u0019","cnId":" "})"},
};

TEST(min_message_info, is_written_as_json_stringify_does) {
    for (const auto& each : golden) {
        EXPECT_EQ(to_text(each.info), each.text);
    }
}

TEST(min_message_info, is_read_as_it_was_written) {
    for (const auto& each : golden) {
        EXPECT_EQ(read_min_message_info(each.text), each.info) << each.text;
    }
}

TEST(min_message_info, every_byte_below_space_is_escaped_in_one_way) {
    for (int byte = 0; byte < 0x20; ++byte) {
        min_message_info info{std::string(1, static_cast<char>(byte)), "b", "c"};
        auto text = to_text(info);
        for (char each : text) {
            EXPECT_GE(static_cast<unsigned char>(each), 0x20) << byte;
        }
        EXPECT_EQ(read_min_message_info(text), info) << byte;
    }
}

TEST(min_message_info, a_group_is_what_the_texts_of_one_request_begin_with_and_no_others) {
    EXPECT_EQ(group_text("a\"b"), R"({"rqId":"a\"b","rsId":")");
    for (const auto& each : golden) {
        EXPECT_TRUE(to_text(each.info).starts_with(group_text(each.info.request_id))) << each.text;
        for (const auto& other : golden) {
            EXPECT_EQ(
                to_text(other.info).starts_with(group_text(each.info.request_id)),
                other.info.request_id == each.info.request_id);
        }
    }
    EXPECT_FALSE(to_text({"ab", "x", "c"}).starts_with(group_text("a")));
    EXPECT_FALSE(to_text({R"(a","rsId":")", "x", "c"}).starts_with(group_text("a")));
}

TEST(min_message_info, what_is_none_is_not_read) {
    for (const auto* each :
         {"", "null", "[]", "{}", "{ rqId: 'a', rsId: 'b', cnId: 'c' }", R"({"rqId":"a","rsId":"b"})",
          R"({"rqId":"a","rsId":"b","cnId":1})", R"({"rqId":"a","rsId":"b","cnId":null})",
          R"({"rqId":"a","rsId":"b","cnId":"c"}x)", "{\"rqId\":\"\xff\",\"rsId\":\"b\",\"cnId\":\"c\"}"}) {
        EXPECT_FALSE(read_min_message_info(each)) << each;
    }
}

} // namespace
} // namespace leat::message
