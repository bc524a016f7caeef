#include "bridge/bridge_message.hpp"

#include "config/problem.hpp"
#include "message/raw_json.hpp"
#include "store/keys.hpp"

#include <boost/json/serialize.hpp>

#include <array>

namespace leat::bridge {

namespace json = boost::json;
using base::error;

namespace {

constexpr std::int64_t last_time = (std::int64_t{1} << 41) - 1;

// The members of a message, each read as what it must be; the first that is not is remembered.
class members {
public:
    members(std::string_view text, const json::object& map)
        : text_{text}
        , map_{map} {}

    // A text, or a whole number as its digits: ids are often numbers.
    std::string id(std::string_view name, bool required = true) {
        const auto* found = map_.if_contains(name);
        std::string made;
        if (found != nullptr && found->is_string()) {
            made = std::string{found->get_string()};
        } else if (found != nullptr && (found->is_int64() || found->is_uint64())) {
            made = json::serialize(*found);
        } else if (found != nullptr || required) {
            return fail(name, found == nullptr ? "is missing" : "must be a text");
        } else {
            return made;
        }
        return store::is_bridge_id(made) ? made : fail(name, "must have 1 to 1024 bytes");
    }
    // Names the list that deliveries go to.
    std::string origin() {
        auto made = id("origin");
        return store::is_beside_a_queue(made) ? fail("origin", "names a key that leat has beside a queue") : made;
    }
    std::string text(std::string_view name) {
        const auto* found = map_.if_contains(name);
        if (found == nullptr) {
            return {};
        }
        return found->is_string() ? std::string{found->get_string()} : fail(name, "must be a text");
    }
    std::int64_t whole(std::string_view name, std::int64_t most, bool required = false) {
        const auto* found = map_.if_contains(name);
        if (found == nullptr && !required) {
            return 0;
        }
        if (found == nullptr || !found->is_int64() || found->get_int64() < 0 || found->get_int64() > most) {
            fail(name, found == nullptr ? "is missing" : "must be a whole number from 0 to " + std::to_string(most));
            return 0;
        }
        return found->get_int64();
    }
    bool flag(std::string_view name) {
        const auto* found = map_.if_contains(name);
        if (found != nullptr && !found->is_bool()) {
            fail(name, "must be true or false");
        }
        return found != nullptr && found->is_bool() && found->get_bool();
    }
    // As it was written; `null` when it is not there.
    std::string raw(std::string_view name) const {
        auto found = message::raw_member(text_, name);
        if (found.empty() && has(name)) { // its name was written with escapes
            return json::serialize(map_.at(name));
        }
        return found.empty() ? "null" : std::string{found};
    }
    bool has(std::string_view name) const { return map_.contains(name); }

    std::string fail(std::string_view name, std::string_view why) {
        if (wrong_.empty()) {
            wrong_ = std::string{name} + " " + std::string{why};
        }
        return {};
    }
    const std::string& wrong() const { return wrong_; }

private:
    std::string_view text_;
    const json::object& map_;
    std::string wrong_;
};

bridge_wish read_request(members& given) {
    store::bridge_request made;
    made.conversation_id = given.id("conversationId");
    made.origin = given.origin();
    made.request_id = given.id("requestId");
    made.timestamp = given.whole("requestTimestamp", last_time);
    return {bridge_wish::type::request, store::bridge_verb::accept, store::item_of(made)};
}

bridge_wish read_response(members& given) {
    store::bridge_response made;
    made.ids.conversation_id = given.id("conversationId");
    made.ids.request_id = given.id("requestId");
    made.ids.response_id = given.id("responseId");
    made.origin = given.origin();
    made.timestamp = given.whole("responseTimestamp", last_time);
    made.more = given.flag("more");
    auto corr = given.text("corr");
    made.task = "{" + (corr.empty() ? "" : R"("corr":)" + json::serialize(json::string_view{corr}) + ",") +
                R"("body":)" + given.raw("body") + "}";
    return {bridge_wish::type::response, store::bridge_verb::accept, store::item_of(made)};
}

bridge_wish read_ack(members& given) {
    auto name = given.id("asyncResponseId");
    auto origin = given.id("origin", false);
    auto status = given.text("status");
    auto how = store::bridge_sending::sent;
    if (status == "error") {
        how = given.flag("recoverable") ? store::bridge_sending::recoverable : store::bridge_sending::fatal;
    } else if (!status.empty() && status != "delivered") {
        given.fail("status", "must be delivered or error");
    }
    return {
        bridge_wish::type::acknowledgement, store::bridge_verb::conclude,
        store::acknowledge_item(std::move(origin), std::move(name), how, given.text("reason"))};
}

bridge_wish read_cancel(members& given) {
    auto conversation = given.id("conversationId", false);
    auto request = given.id("requestId");
    auto reason = given.has("reason") ? given.text("reason") : std::string{"no reply will come"};
    return {
        bridge_wish::type::cancellation, store::bridge_verb::accept,
        store::cancel_item(std::move(conversation), request, reason)};
}

base::result<json::value> parse(std::string_view text) {
    boost::system::error_code wrong;
    auto read = message::parse_outline(text, wrong);
    if (wrong) {
        return error{"it is not JSON: " + wrong.message()};
    }
    if (!read.is_object()) {
        return error{"it is not a JSON object"};
    }
    return read;
}

base::result<bridge_wish> checked(bridge_wish made, const members& given) {
    if (!given.wrong().empty()) {
        return error{given.wrong()};
    }
    return made;
}

} // namespace

base::result<bridge_wish> read_bridge_message(std::string_view text) {
    auto read = parse(text);
    if (!read) {
        return read.error();
    }
    members given{text, read->get_object()};
    auto type = given.text("type");
    static const std::vector<std::string> types{"request", "response", "ack", "cancel"};
    if (type == "request") {
        return checked(read_request(given), given);
    }
    if (type == "response") {
        return checked(read_response(given), given);
    }
    if (type == "ack") {
        return checked(read_ack(given), given);
    }
    if (type == "cancel") {
        return checked(read_cancel(given), given);
    }
    return error{"type must be request, response, ack or cancel" + config::did_you_mean(type, types)};
}

base::result<bridge_wish> read_delivery_answer(std::string_view text) {
    auto read = parse(text);
    if (!read) {
        return read.error();
    }
    members given{text, read->get_object()};
    constexpr std::int64_t longest_pause = 86'400'000;
    store::bridge_result made;
    made.ids.conversation_id = given.id("conversationId");
    made.ids.request_id = given.id("requestId");
    made.ids.response_id = given.id("responseId");
    made.token = given.whole("fence", (std::int64_t{1} << 53) - 1, true);
    made.origin = given.id("origin", false);
    auto status = given.text("status");
    if (status == "sent") {
        made.how = given.has("asyncResponseId") ? store::bridge_sending::sent_async : store::bridge_sending::sent;
        made.detail = given.id("asyncResponseId", false);
    } else if (status == "recoverable" || status == "fatal") {
        made.how = status == "fatal" ? store::bridge_sending::fatal : store::bridge_sending::recoverable;
        made.detail = given.text("reason");
        made.pause = given.whole("retryAfter", longest_pause);
    } else {
        given.fail("status", "must be sent, recoverable or fatal");
    }
    return checked({bridge_wish::type::outcome, store::bridge_verb::conclude, store::item_of(made)}, given);
}

} // namespace leat::bridge
