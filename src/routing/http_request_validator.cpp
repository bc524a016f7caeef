#include "routing/processors.hpp"

#include <boost/json/object.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <re2/re2.h>

#include <algorithm>

namespace leat::routing {
namespace {

struct validator_settings : described {
    std::vector<std::string> methods{"GET", "POST"};
};

const config::spec<validator_settings>& spec() {
    using settings = validator_settings;
    static const config::spec<settings> made{
        "HttpRequestValidator",
        "Lets only messages through that are HTTP requests.",
        R"(A request is a JSON object:

| property | must be |
|---|---|
| `url` | text: `http://...`, `https://...`, or a path that begins with `/` |
| `method` | one of `methods`; GET when it is not there |
| `json` | true or false, when it is there |
| `headers` | an object of texts, when it is there |

What is none fails with `InvalidRequest`, and a sentence that names the property. For other messages there is SchemaValidator.
)",
        {description_field(), config::field("methods", &settings::methods, "Methods that are let through.")
                                  .at_least(1)
                                  .not_empty()
                                  .distinct()},
        {{"only reads", "methods: [GET, HEAD]\n"}}};
    return made;
}

class http_request_validator final : public processor {
public:
    http_request_validator(std::string name, validator_settings settings)
        : processor{std::move(name)}
        , settings_{std::move(settings)} {}

    step forward(passage& on) override {
        std::string why;
        const auto* parsed = on.message.json(&why);
        if (parsed == nullptr) {
            return on.fail("InvalidRequest", "the request is " + why);
        }
        if (auto complaint = check(*parsed)) {
            return on.fail("InvalidRequest", std::move(*complaint));
        }
        return step::pass;
    }

private:
    std::optional<std::string> check(const boost::json::value& request) const {
        if (!request.is_object()) {
            return "the request is not a JSON object";
        }
        const auto& map = request.get_object();
        const auto* url = map.if_contains("url");
        if (url == nullptr || !url->is_string()) {
            return "url: expected text";
        }
        static const re2::RE2 form{R"((?i)^(https?://[^\s/?#]+([/?#]\S*)?|/\S*)$)"};
        if (!re2::RE2::FullMatch({url->get_string().data(), url->get_string().size()}, form)) {
            return "url: expected http://..., https://..., or a path that begins with /";
        }
        const auto* method = map.if_contains("method");
        std::string_view asked = "GET";
        if (method != nullptr) {
            asked = method->is_string() ? std::string_view{method->get_string()} : std::string_view{};
        }
        if (std::ranges::find(settings_.methods, asked) == settings_.methods.end()) {
            return fmt::format("method: expected {}", fmt::join(settings_.methods, " or "));
        }
        if (const auto* json = map.if_contains("json"); json != nullptr && !json->is_bool()) {
            return "json: expected true or false";
        }
        if (const auto* headers = map.if_contains("headers")) {
            bool right = headers->is_object() && std::ranges::all_of(headers->get_object(), [](const auto& each) {
                             return each.value().is_string();
                         });
            return right ? std::nullopt : std::optional<std::string>{"headers: expected an object of texts"};
        }
        return std::nullopt;
    }

    validator_settings settings_;
};

} // namespace

processor_type http_request_validator_type() {
    return processor_type_of<validator_settings>(
        {.spec = &spec(),
         .is = role::filter,
         .make = [](std::string name, const validator_settings& settings, const processor_context&, const find_route&) {
             return std::make_unique<http_request_validator>(std::move(name), settings);
         }});
}

} // namespace leat::routing
