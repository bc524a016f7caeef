#include "routing/query_message.hpp"

#include "message/base64.hpp"
#include "routing/content.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <optional>

namespace leat::routing {

namespace json = boost::json;

namespace {

query_fault bad(std::string message) {
    return {query_faults::bad_query, std::move(message)};
}

query_fault too_long(std::size_t size, const query_rules& rules) {
    return {
        query_faults::too_large,
        "the query has " + std::to_string(size) + " bytes, more than maxBytes, " + std::to_string(rules.max_bytes)};
}

query_result<query_plan> plan_body(const json::value& body, const json::object& request, const query_rules& rules) {
    if (!body.is_string()) {
        return plan_query(body, rules);
    }
    std::string text{body.get_string()};
    if (const auto* encoding = request.if_contains("encoding"); encoding != nullptr && *encoding == "base64") {
        auto bytes = message::from_base64(text);
        if (!bytes) {
            return bad("`body` is not base64, although `encoding` says so");
        }
        text = std::move(*bytes);
    }
    content query{std::move(text)};
    std::string why;
    const auto* parsed = query.json(&why);
    return parsed != nullptr ? plan_query(*parsed, rules) : bad("the body is " + why);
}

json::object opening(const asked_query& asked) {
    json::object made;
    if (!asked.by.id.empty()) {
        made.emplace("meta", json::object{{"id", asked.by.id}});
    }
    return made;
}

} // namespace

asked_query read_asked(const std::string& message, const query_rules& rules) {
    asked_query made{.by = {}, .plan = too_long(message.size(), rules)};
    if (message.size() > longest_query) {
        return made;
    }
    content given{message};
    std::string why;
    const auto* parsed = given.json(&why);
    if (parsed == nullptr) {
        made.plan = bad("the query is " + why);
        return made;
    }
    made.by = message::asker_of(*parsed);
    const auto* request = parsed->if_object();
    const auto* body = request != nullptr && !request->contains("commands") ? request->if_contains("body") : nullptr;
    made.is_body = body != nullptr;
    if (message.size() <= rules.max_bytes) {
        made.plan = made.is_body ? plan_body(*body, *request, rules) : plan_query(*parsed, rules);
    }
    return made;
}

std::string write_result(const asked_query& asked, json::object result) {
    auto made = opening(asked);
    if (asked.is_body) {
        made.emplace("body", std::move(result));
    } else {
        for (auto& each : result) {
            made.emplace(each.key(), std::move(each.value()));
        }
    }
    return json::serialize(made);
}

std::string write_fault(const asked_query& asked, const query_fault& fault) {
    auto made = opening(asked);
    made.emplace("error", json::object{{"name", fault.name}, {"message", fault.message}});
    return json::serialize(made);
}

} // namespace leat::routing
