#include "message/min_message_info.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace leat::message {

namespace json = boost::json;

namespace {

// As JSON.stringify does. Ids hardly ever need an escape, and there are many of them.
void append_quoted(std::string& to, std::string_view id) {
    auto is_special = [](char each) { return each == '"' || each == '\\' || static_cast<unsigned char>(each) < 0x20; };
    if (std::ranges::any_of(id, is_special)) {
        to += json::serialize(json::string_view{id});
    } else {
        to.append(1, '"').append(id).append(1, '"');
    }
}

} // namespace

std::string to_text(const min_message_info& info) {
    std::string made;
    made.reserve(30 + info.request_id.size() + info.response_id.size() + info.conversation_id.size());
    made += R"({"rqId":)";
    append_quoted(made, info.request_id);
    made += R"(,"rsId":)";
    append_quoted(made, info.response_id);
    made += R"(,"cnId":)";
    append_quoted(made, info.conversation_id);
    made += '}';
    return made;
}

std::string group_text(std::string_view request_id) {
    std::string made = R"({"rqId":)";
    append_quoted(made, request_id);
    return made + R"(,"rsId":")";
}

std::optional<min_message_info> read_min_message_info(std::string_view text) {
    boost::system::error_code wrong;
    auto read = json::parse(text, wrong);
    if (wrong || !read.is_object()) {
        return std::nullopt;
    }
    auto id = [&read](std::string_view key) {
        const auto* found = read.get_object().if_contains(key);
        return found != nullptr && found->is_string() ? std::optional<std::string>{found->get_string()} : std::nullopt;
    };
    auto request = id("rqId");
    auto response = id("rsId");
    auto conversation = id("cnId");
    if (!request || !response || !conversation) {
        return std::nullopt;
    }
    return min_message_info{std::move(*request), std::move(*response), std::move(*conversation)};
}

} // namespace leat::message
