#include "routing/json_schema.hpp"

#define VALIJSON_USE_EXCEPTIONS 1 // else it aborts
#include <re2/re2.h>

#include <stdexcept>

#include <valijson/adapters/boost_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace leat::routing {
namespace {

namespace json = boost::json;

// For valijson, in place of std::regex, which takes exponential time, or all of the stack, for some texts.
struct re2_engine {
    explicit re2_engine(const std::string& pattern)
        : made{std::make_shared<re2::RE2>(pattern, re2::RE2::Quiet)} {}
    static bool search(const std::string& text, const re2_engine& by) { return re2::RE2::PartialMatch(text, *by.made); }

    std::shared_ptr<re2::RE2> made;
};

using validator = valijson::ValidatorT<re2_engine>;

void check_pattern(std::string_view pattern) {
    re2::RE2 made{re2::StringPiece{pattern.data(), pattern.size()}, re2::RE2::Quiet};
    if (!made.ok()) {
        throw std::runtime_error{"pattern `" + std::string{pattern} + "`: " + made.error()};
    }
}

// Of the whole tree: what is no pattern but looks like one must be one as well.
void check_patterns(const json::value& schema) {
    if (schema.is_array()) {
        for (const auto& each : schema.get_array()) {
            check_patterns(each);
        }
    }
    if (!schema.is_object()) {
        return;
    }
    for (const auto& each : schema.get_object()) {
        if (each.key() == "pattern" && each.value().is_string()) {
            check_pattern(each.value().get_string());
        }
        if (each.key() == "patternProperties" && each.value().is_object()) {
            for (const auto& property : each.value().get_object()) {
                check_pattern(property.key());
            }
        }
        check_patterns(each.value());
    }
}

// References lead within the schema, and come to an end: valijson would follow others for ever.
void check_references(const json::value& root, const json::value& at) {
    if (at.is_array()) {
        for (const auto& each : at.get_array()) {
            check_references(root, each);
        }
    }
    if (!at.is_object()) {
        return;
    }
    const auto* next = &at;
    for (int steps = 0; next != nullptr && next->is_object() && next->get_object().contains("$ref"); ++steps) {
        const auto& reference = next->get_object().at("$ref");
        std::string text{reference.is_string() ? reference.get_string() : json::string{}};
        if (!reference.is_string()) {
            break; // a property of this name
        }
        boost::system::error_code none;
        next = text == "#" ? &root : text.starts_with("#/") ? root.find_pointer(text.substr(1), none) : nullptr;
        if (next == nullptr) {
            throw std::runtime_error{"$ref `" + text + "` leads to nothing within the schema"};
        }
        if (steps > 100) {
            throw std::runtime_error{"$ref `" + text + "` leads to itself"};
        }
    }
    for (const auto& each : at.get_object()) {
        check_references(root, each.value());
    }
}

// Without `format`, which is for people: valijson checks some formats with std::regex.
json::value without_format(const json::value& schema) {
    if (schema.is_array()) {
        json::array made;
        for (const auto& each : schema.get_array()) {
            made.push_back(without_format(each));
        }
        return made;
    }
    if (!schema.is_object()) {
        return schema;
    }
    json::object made;
    for (const auto& each : schema.get_object()) {
        bool is_value = each.key() == "const" || each.key() == "enum" || each.key() == "default";
        if (each.key() != "format" || !each.value().is_string()) {
            made[each.key()] = is_value ? each.value() : without_format(each.value());
        }
    }
    return made;
}

class valijson_schema final : public json_schema {
public:
    explicit valijson_schema(const json::value& given) {
        check_patterns(given);
        check_references(given, given);
        valijson::SchemaParser parser;
        auto meant = without_format(given);
        valijson::adapters::BoostJsonAdapter adapter{meant};
        parser.populateSchema(adapter, schema_);
    }

    std::optional<std::string> check(const json::value& message) const override {
        valijson::ValidationResults results;
        valijson::adapters::BoostJsonAdapter adapter{message};
        if (check_.validate(schema_, adapter, &results)) {
            return std::nullopt;
        }
        valijson::ValidationResults::Error first; // the deepest, which says most
        valijson::ValidationResults::Error each;
        while (results.popError(each)) {
            if (first.description.empty() || each.context.size() > first.context.size()) {
                first = each;
            }
        }
        std::string path;
        for (std::size_t i = 1; i < first.context.size(); ++i) { // <root>, then [name] each
            auto step = first.context[i];
            path += (path.empty() ? "" : ".") + (step.size() > 2 ? step.substr(1, step.size() - 2) : step);
        }
        return (path.empty() ? "" : path + ": ") + first.description;
    }

private:
    valijson::Schema schema_;
    mutable validator check_{validator::kStrongTypes}; // keeps the patterns that it has read
};

} // namespace

base::result<std::shared_ptr<const json_schema>> json_schema::read(const json::value& schema) {
    try { // valijson throws; nothing else here does
        return std::shared_ptr<const json_schema>{std::make_shared<valijson_schema>(schema)};
    } catch (const std::exception& reason) {
        return base::error{reason.what()};
    }
}

} // namespace leat::routing
