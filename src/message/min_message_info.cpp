#include "message/min_message_info.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace leat::message {

namespace json = boost::json;

namespace {

// As JSON.stringify does: the short forms where there are any, \u00xx for other control characters, all else as it is.
void append_quoted(std::string& to, std::string_view text) {
    static constexpr std::string_view hex = "0123456789abcdef";
    to += '"';
    for (char each : text) {
        switch (each) {
        case '"':
            to += "\\\"";
            break;
        case '\\':
            to += "\\\\";
            break;
        case '\b':
            to += "\\b";
            break;
        case '\f':
            to += "\\f";
            break;
        case '\n':
            to += "\\n";
            break;
        case '\r':
            to += "\\r";
            break;
        case '\t':
            to += "\\t";
            break;
        default:
            if (static_cast<unsigned char>(each) < 0x20) {
                to += "\\u00";
                to += hex[static_cast<unsigned char>(each) >> 4];
                to += hex[static_cast<unsigned char>(each) & 15];
            } else {
                to += each;
            }
        }
    }
    to += '"';
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
