#include "message/envelope.hpp"

#include "base/unicode.hpp"
#include "message/base64.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace leat::message {

namespace json = boost::json;

namespace {

// A text, or a number as its digits: ids are often numbers.
std::string text_of(const json::object& map, std::string_view key) {
    const auto* found = map.if_contains(key);
    if (found == nullptr) {
        return {};
    }
    if (found->is_string()) {
        return std::string{found->get_string()};
    }
    return found->is_int64() || found->is_uint64() ? json::serialize(*found) : std::string{};
}

void append_text(std::string& to, std::string_view text) {
    to += json::serialize(json::string_view{text});
}

void append_body(std::string& to, std::string_view body) {
    bool is_text = base::first_bad_byte(body) == std::string_view::npos;
    to += R"("body":)";
    append_text(to, is_text ? body : to_base64(body));
    to += is_text ? "}" : R"(,"encoding":"base64"})";
}

std::string opening(std::string_view id) {
    std::string made = R"({"meta":{"id":)";
    append_text(made, id);
    return made;
}

} // namespace

std::string to_json(const error& told) {
    json::object made;
    if (!told.name.empty()) {
        made["name"] = told.name;
    }
    made["message"] = told.message;
    return json::serialize(made);
}

std::string write(const request& asked) {
    auto made = opening(asked.id);
    made += R"(,"deadline":)" + std::to_string(asked.deadline) + R"(,"reply":)";
    append_text(made, asked.reply);
    if (!asked.trace_parent.empty()) {
        made += R"(,"traceparent":)";
        append_text(made, asked.trace_parent);
    }
    made += "},";
    append_body(made, asked.body);
    return made;
}

base::result<answer> read_answer(std::string_view text) {
    boost::system::error_code wrong;
    auto parsed = json::parse(text, wrong);
    if (wrong || !parsed.is_object()) {
        return base::error{"expected a JSON object {meta: {id}, body} or {meta: {id}, error}"};
    }
    auto& map = parsed.get_object();
    const auto* meta = map.if_contains("meta");
    answer made;
    made.id = meta != nullptr && meta->is_object() ? text_of(meta->get_object(), "id") : std::string{};
    if (made.id.empty()) {
        return base::error{"expected meta.id, the id of the request"};
    }
    if (auto* failed = map.if_contains("error"); failed != nullptr && !failed->is_null()) {
        made.error = std::move(*failed);
        return made;
    }
    const auto* body = map.if_contains("body");
    if (body == nullptr) {
        return base::error{"expected `body` or `error`"};
    }
    if (!body->is_string()) {
        made.body = json::serialize(*body);
    } else if (text_of(map, "encoding") == "base64") {
        auto bytes = from_base64(body->get_string());
        if (!bytes) {
            return base::error{"`body` is not base64, although `encoding` says so"};
        }
        made.body = std::move(*bytes);
    } else {
        made.body = body->get_string();
    }
    return made;
}

std::string write_answer(std::string_view id, std::string_view body) {
    auto made = opening(id) + "},";
    append_body(made, body);
    return made;
}

std::string write_error(std::string_view id, const json::value& error) {
    return opening(id) + R"(},"error":)" + json::serialize(error) + "}";
}

asker read_asker(std::string_view text) {
    auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{' || text.find("\"meta\"") == std::string_view::npos) {
        return {};
    }
    boost::system::error_code wrong;
    auto parsed = json::parse(text, wrong);
    return wrong ? asker{} : asker_of(parsed);
}

asker asker_of(const json::value& message) {
    const auto* meta = message.is_object() ? message.get_object().if_contains("meta") : nullptr;
    if (meta == nullptr || !meta->is_object()) {
        return {};
    }
    const auto& map = meta->get_object();
    return {text_of(map, "id"), text_of(map, "reply"), text_of(map, "traceparent")};
}

} // namespace leat::message
