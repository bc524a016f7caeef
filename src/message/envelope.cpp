#include "message/envelope.hpp"

#include "base/unicode.hpp"
#include "message/base64.hpp"
#include "message/raw_json.hpp"

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

// Bytes of it as a JSON text, at least: what has many control characters grows six times.
std::size_t escaped_size(std::string_view text) {
    std::size_t size = 2;
    for (char each : text) {
        auto byte = static_cast<unsigned char>(each);
        bool has_short = each == '\b' || each == '\f' || each == '\n' || each == '\r' || each == '\t';
        size += each == '"' || each == '\\' || has_short ? 2 : byte < 0x20 ? 6 : 1;
    }
    return size;
}

// As text, unless that is impossible, or large and longer than base64.
void append_body(std::string& to, std::string_view body) {
    constexpr std::size_t large = 1 << 20;
    bool is_blown_up = body.size() > large / 6 && escaped_size(body) > std::max(large, (body.size() + 2) / 3 * 4);
    bool is_text = !is_blown_up && base::first_bad_byte(body) == std::string_view::npos;
    to += R"("body":)" + json_text(is_text ? body : to_base64(body)) + (is_text ? "}" : R"(,"encoding":"base64"})");
}

std::string opening(std::string_view id) {
    return R"({"meta":{"id":)" + std::string{id};
}

// {name, message}, a text, or anything.
error read_error(const json::value& told, std::string_view raw) {
    error made{.name = {}, .message = {}, .raw = std::string{raw}};
    if (told.is_object()) {
        made.name = text_of(told.get_object(), "name");
        made.message = text_of(told.get_object(), "message");
    }
    if (made.message.empty()) {
        made.message = told.is_string() ? std::string{told.get_string()} : made.raw;
    }
    return made;
}

base::result<answer> with_text(answer made, std::string_view body, std::string_view encoding) {
    if (encoding != "base64") {
        made.body = body;
        return made;
    }
    auto bytes = from_base64(body);
    if (!bytes) {
        return base::error{"`body` is not base64, although `encoding` says so"};
    }
    made.body = std::move(*bytes);
    return made;
}

} // namespace

std::string json_text(std::string_view text) {
    if (base::first_bad_byte(text) == std::string_view::npos) {
        return json::serialize(json::string_view{text});
    }
    std::string readable;
    while (!text.empty()) {
        auto length = base::character_length(text);
        readable += length == 0 ? std::string_view{"\xef\xbf\xbd"} : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return json::serialize(json::string_view{readable});
}

std::string to_json(const error& told) {
    if (told.raw.starts_with('{')) {
        return told.raw;
    }
    auto name = told.name.empty() ? std::string{} : R"("name":)" + json_text(told.name) + ",";
    return "{" + name + R"("message":)" + json_text(told.message) + "}";
}

std::string write(const request& asked) {
    auto made = opening(json_text(asked.id));
    made += R"(,"deadline":)" + std::to_string(asked.deadline) + R"(,"reply":)" + json_text(asked.reply);
    if (!asked.trace_parent.empty()) {
        made += R"(,"traceparent":)" + json_text(asked.trace_parent);
    }
    made += "},";
    append_body(made, asked.body);
    return made;
}

base::result<answer> read_answer(std::string_view text) {
    boost::system::error_code wrong;
    auto parsed = parse_outline(text, wrong);
    if (wrong || !parsed.is_object()) {
        return base::error{"expected a JSON object {meta: {id}, body} or {meta: {id}, error}"};
    }
    const auto& map = parsed.get_object();
    const auto* meta = map.if_contains("meta");
    answer made;
    made.id = meta != nullptr && meta->is_object() ? text_of(meta->get_object(), "id") : std::string{};
    if (made.id.empty()) {
        return base::error{"expected meta.id, the id of the request"};
    }
    auto failure = raw_member(text, "error");
    if (const auto* failed = map.if_contains("error");
        failed != nullptr && (!failed->is_null() || failure.size() > 4)) {
        made.error = read_error(*failed, failure);
        return made;
    }
    const auto* body = map.if_contains("body");
    if (body == nullptr) {
        return base::error{"expected `body` or `error`"};
    }
    auto raw = raw_member(text, "body"); // empty when its name was written with escapes
    if (body->is_null() && raw.starts_with('"')) {
        auto whole = parse_json(raw, wrong);
        return with_text(std::move(made), whole.get_string(), text_of(map, "encoding"));
    }
    if (body->is_string()) {
        return with_text(std::move(made), body->get_string(), text_of(map, "encoding"));
    }
    made.is_json = true;
    made.body = raw.empty() ? json::serialize(*body) : std::string{raw};
    return made;
}

std::string write_answer(std::string_view id, std::string_view body, bool is_json) {
    auto made = opening(id) + "},";
    if (is_json) {
        return made + R"("body":)" + std::string{body} + "}";
    }
    append_body(made, body);
    return made;
}

std::string write_error(std::string_view id, const error& told) {
    return opening(id) + R"(},"error":)" + (told.raw.empty() ? to_json(told) : told.raw) + "}";
}

// Of a large message only `meta` is read, as it stands: to parse all of it would take long.
static asker read_asker_of_large(std::string_view text) {
    auto raw = raw_member(text, "meta");
    boost::system::error_code wrong;
    auto parsed = raw.size() <= 65'536 ? parse_json(raw, wrong) : json::value{};
    if (wrong || !parsed.is_object()) {
        return {};
    }
    json::object whole;
    whole.emplace("meta", std::move(parsed));
    return asker_of(std::move(whole));
}

asker read_asker(std::string_view text) {
    auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{' || text.find("\"meta\"") == std::string_view::npos) {
        return {};
    }
    asker made;
    constexpr std::size_t large = 1 << 20;
    if (text.size() > large) {
        made = read_asker_of_large(text);
    } else {
        boost::system::error_code wrong;
        auto parsed = parse_json(text, wrong);
        if (wrong) {
            return {};
        }
        made = asker_of(parsed);
    }
    auto raw = raw_member(text, "meta");
    raw = raw.starts_with('{') ? raw_member(raw, "id") : std::string_view{};
    bool usable = !raw.empty() && (raw[0] == '"' || raw[0] == '-' || (raw[0] >= '0' && raw[0] <= '9'));
    made.raw_id = usable ? std::string{raw} : std::string{};
    return made;
}

asker asker_of(const json::value& message) {
    const auto* meta = message.is_object() ? message.get_object().if_contains("meta") : nullptr;
    if (meta == nullptr || !meta->is_object()) {
        return {};
    }
    const auto& map = meta->get_object();
    return {text_of(map, "id"), {}, text_of(map, "reply"), text_of(map, "traceparent")};
}

} // namespace leat::message
