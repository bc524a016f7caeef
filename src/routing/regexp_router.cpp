#include "routing/processors.hpp"

#include <boost/json/value.hpp>

#include <spdlog/fmt/fmt.h>

#include <re2/re2.h>

namespace leat::routing {
namespace {

struct router_settings : described {
    std::optional<std::string> pluck;
    config::value rules;
};

struct rule_response {
    std::int64_t status_code = 200;
    std::optional<std::string> content;
    std::optional<std::string> content_type;
};

struct rule_settings {
    std::optional<std::string> label;
    std::optional<std::string> regexp;
    std::optional<std::string> regex;
    std::optional<std::string> match;
    std::optional<std::string> pluck;
    std::optional<std::vector<std::string>> route;
    std::optional<rule_response> response;
    bool disabled = false;
};

// A regular expression that RE2 can take: its time grows with the text alone, whatever the text.
std::optional<std::string> check_regexp(std::string_view text) {
    re2::RE2::Options quiet;
    quiet.set_log_errors(false);
    re2::RE2 made{re2::StringPiece{text.data(), text.size()}, quiet};
    return made.ok() ? std::nullopt
                     : std::optional{fmt::format("`{}` is no regular expression: {}", text, made.error())};
}

void check_rule(const rule_settings& given, const config::reporter& at) {
    bool is_regexp = given.regexp || given.regex;
    if (is_regexp == given.match.has_value() || (given.regexp && given.regex)) {
        at.error("label", "a rule has either regexp, or `match: all`");
    }
    if (given.route.has_value() == given.response.has_value()) {
        at.error("label", "a rule has either a route, or a response");
    }
}

const config::spec<rule_settings>& rule_spec() {
    using settings = rule_settings;
    static const config::spec<settings> made{
        "rule",
        "A rule of regexpRouter.",
        "",
        {config::field("label", &settings::label, "For people."),
         config::field("regexp", &settings::regexp, "What the property must match, in any part (RE2).")
             .check(check_regexp),
         config::field("regex", &settings::regex, "The same.").check(check_regexp),
         config::field("match", &settings::match, "`all`: every message.").choices({"all"}),
         config::field("pluck", &settings::pluck, "Property that is looked at.").not_empty(),
         config::field("route", &settings::route, "Where the message goes.").at_least(1).not_empty(),
         config::group(
             "response", &settings::response, "What is replied instead.",
             std::vector<config::typed_field<rule_response>>{
                 config::field("statusCode", &rule_response::status_code, "Status.").range(100, 599),
                 config::field("content", &rule_response::content, "Content."),
                 config::field("contentType", &rule_response::content_type, "Its type.")}),
         config::field("disabled", &settings::disabled, "As if it were not there.")},
        {},
        &check_rule};
    return made;
}

void check_rules(const router_settings& given, const config::reporter& at) {
    if (!given.rules.is_list() || given.rules.items().empty()) {
        at.error("rules", "rules: expected a list of at least one rule");
        return;
    }
    for (const auto& each : given.rules.items()) {
        if (!each.is_map()) {
            at.found().error(each.where(), "rules: expected a map with regexp or match, and route or response");
        } else {
            rule_spec().lint(each, at.found());
        }
    }
}

const config::spec<router_settings>& spec() {
    using settings = router_settings;
    static const config::spec<settings> made{
        "regexpRouter",
        "Sends a message along the route of the first rule that matches it.",
        R"(`rules` is a list. Each rule has `regexp` (or `match: all`), and a `route` of its own or a `response`:

| of a rule | means |
|---|---|
| `label` | for people |
| `regexp`, also `regex` | what must be found in the property, in the syntax of RE2, whose time grows with the text alone |
| `match: all` | every message |
| `pluck` | property of the message that is looked at, over the router's own; `a.b` is `b` in `a` |
| `route` | names of the processors that come next |
| `response` | `{statusCode, content, contentType}`, which is the reply |
| `disabled: true` | as if it were not there |

Without any `pluck` the text of the message is looked at. A message without the property matches no `regexp`. One that no rule
matches fails with `NoRoute: no route for: <value>`.
)",
        {description_field(),
         config::field("pluck", &settings::pluck, "Property of the message that rules look at.")
             .not_empty()
             .example("url"),
         config::field("rules", &settings::rules, "The rules, in order: see above.").required()},
        {{"by the path",
          "pluck: url\nrules:\n- {label: secret, regexp: ^/secret, response: {statusCode: 403, content: No}}\n"
          "- {label: rest, match: all, route: [RedisExporter.singleton]}\n"}},
        &check_rules};
    return made;
}

// The property's text; nothing when it is not there, or null.
std::optional<std::string> plucked(const content& message, const std::string& path) {
    const auto* at = message.json();
    if (at == nullptr || !at->is_object()) {
        return std::nullopt;
    }
    if (const auto* whole = at->get_object().if_contains(path)) {
        at = whole;
    } else {
        std::string_view rest{path};
        while (at != nullptr && !rest.empty()) {
            auto dot = rest.find('.');
            at = at->is_object() ? at->get_object().if_contains(rest.substr(0, dot)) : nullptr;
            rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
        }
    }
    if (at == nullptr || at->is_null()) {
        return std::nullopt;
    }
    return content{*at}.text();
}

class regexp_router final : public processor {
public:
    regexp_router(std::string name, const router_settings& settings, const find_route& find)
        : processor{std::move(name)} {
        for (const auto& each : settings.rules.items()) {
            auto given = rule_spec().checked(each);
            if (given.disabled) {
                continue;
            }
            rule made;
            made.pluck = given.pluck.value_or(settings.pluck.value_or(""));
            if (auto text = given.regexp ? given.regexp : given.regex) {
                made.regexp = std::make_unique<re2::RE2>(*text);
            }
            if (given.route) {
                made.along = find(*each.find("route"));
            } else {
                boost::json::object reply{{"statusCode", given.response->status_code}};
                if (given.response->content) {
                    reply["content"] = *given.response->content;
                }
                if (given.response->content_type) {
                    reply["contentType"] = *given.response->content_type;
                }
                made.response = content{boost::json::value{std::move(reply)}};
            }
            rules_.push_back(std::move(made));
        }
    }

    step forward(passage& on) override {
        std::optional<std::string> last;
        for (const auto& each : rules_) {
            if (each.regexp) {
                last = each.pluck.empty() ? on.message.text() : plucked(on.message, each.pluck);
                if (!last || !re2::RE2::PartialMatch(*last, *each.regexp)) {
                    continue;
                }
            }
            return each.response ? on.reply(*each.response) : on.follow(each.along);
        }
        return on.fail("NoRoute", last ? "no route for: " + *last : "no route");
    }

private:
    struct rule {
        std::string pluck;
        std::unique_ptr<re2::RE2> regexp; // none: all match
        route along;
        std::optional<content> response;
    };
    std::vector<rule> rules_;
};

} // namespace

processor_type regexp_router_type() {
    return processor_type_of<router_settings>(
        {.spec = &spec(),
         .is = role::router,
         .make =
             [](std::string name, const router_settings& settings, const processor_context&, const find_route& find) {
                 return std::make_unique<regexp_router>(std::move(name), settings, find);
             },
         .routes = [](const config::value& settings) { return routes_in(settings, "rules"); }});
}

} // namespace leat::routing
