#include "config/write.hpp"
#include "routing/json_schema.hpp"
#include "routing/processors.hpp"

#include <boost/json/parse.hpp>

namespace leat::routing {
namespace {

struct schema_settings : described {
    config::value schema;
};

base::result<std::shared_ptr<const json_schema>> read_schema(const config::value& given) {
    boost::system::error_code wrong;
    auto parsed = boost::json::parse(config::to_json(given, 0), wrong);
    if (wrong || !parsed.is_object()) {
        return base::error{"expected a map"};
    }
    return json_schema::read(parsed);
}

void check(const schema_settings& given, const config::reporter& at) {
    auto read = read_schema(given.schema);
    if (!read) {
        at.error("schema", "schema: " + read.error().text);
    }
}

const config::spec<schema_settings>& spec() {
    using settings = schema_settings;
    static const config::spec<settings> made{
        "SchemaValidator",
        "Lets only messages through that a JSON Schema allows.",
        R"(`schema` is a JSON Schema (draft 7), written as YAML. References lead only within it. Patterns are regular expressions
of RE2: what it does not know, as looking ahead, is refused when the configuration is read. `format` is not checked.

A message that is not JSON, or not as the schema says, fails with `InvalidMessage`, and a sentence that names the place.
)",
        {description_field(), config::field("schema", &settings::schema, "The JSON Schema.").required()},
        {{"an order",
          "schema:\n  type: object\n  required: [sku, count]\n  properties:\n"
          "    sku: {type: string, pattern: '^[A-Z]{3}-[0-9]+$'}\n    count: {type: integer, minimum: 1}\n"}},
        &check};
    return made;
}

class schema_validator final : public processor {
public:
    schema_validator(std::string name, std::shared_ptr<const json_schema> schema)
        : processor{std::move(name)}
        , schema_{std::move(schema)} {}

    step forward(passage& on) override {
        std::string why;
        const auto* parsed = on.message.json(&why);
        if (parsed == nullptr) {
            return on.fail("InvalidMessage", "the message is " + why);
        }
        auto complaint = schema_->check(*parsed);
        return complaint ? on.fail("InvalidMessage", std::move(*complaint)) : step::pass;
    }

private:
    std::shared_ptr<const json_schema> schema_;
};

} // namespace

processor_type schema_validator_type() {
    return processor_type_of<schema_settings>(
        {.spec = &spec(),
         .is = role::filter,
         .make = [](std::string name, const schema_settings& settings, const processor_context&, const find_route&) {
             return std::make_unique<schema_validator>(std::move(name), read_schema(settings.schema).value());
         }});
}

} // namespace leat::routing
