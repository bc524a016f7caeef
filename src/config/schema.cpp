#include "config/reference.hpp"
#include "config/write.hpp"

#include <algorithm>

namespace leat::config {

namespace {

value text(std::string_view content) {
    return value::of_text(std::string{content});
}

value map(std::initializer_list<std::pair<std::string_view, value>> entries) {
    auto made = value::of_map();
    for (const auto& [key, content] : entries) {
        made.set(key, content);
    }
    return made;
}

// Any scalar may come from the environment; an editor sees only the text.
value interpolation() {
    return map({{"type", text("string")}, {"pattern", text(R"(\$\{)")}});
}

value or_interpolated(value schema) {
    return map({{"anyOf", value::of_list({std::move(schema), interpolation()})}});
}

value text_schema(const field_info& field) {
    if (!field.choices.empty()) {
        return or_interpolated(map({{"enum", value::of_texts(field.choices)}}));
    }
    auto schema = map({{"type", text("string")}});
    if (field.not_empty) {
        schema.set("minLength", value::of_whole(1));
    }
    return schema;
}

value settings_schema(value made, value properties, const std::vector<field_info>& fields, std::string_view elsewhere);

// A map, or what switches it on and off; `true` only when that leaves nothing missing.
value group_schema(const field_info& field) {
    auto inner = settings_schema(value::of_map(), value::of_map(), field.inner, "");
    auto either = map({{"type", value::of_texts({"boolean", "null"})}});
    auto off = map({{"enum", value::of_list({value::of_boolean(false), value::null()})}});
    bool all_have_defaults = std::ranges::none_of(field.inner, &field_info::required);
    return map({{"anyOf", value::of_list({std::move(inner), all_have_defaults ? either : off, interpolation()})}});
}

value type_schema(const field_info& field) {
    switch (field.type) {
    case field_type::text:
        return text_schema(field);
    case field_type::boolean:
        return or_interpolated(map({{"type", text("boolean")}}));
    case field_type::text_list: {
        auto schema = map({{"type", text("array")}, {"items", text_schema(field)}});
        if (field.at_least > 0) {
            schema.set("minItems", value::of_whole(static_cast<std::int64_t>(field.at_least)));
        }
        if (field.distinct) {
            schema.set("uniqueItems", value::of_boolean(true));
        }
        return schema;
    }
    case field_type::group:
        return group_schema(field);
    case field_type::any:
        return value::of_map();
    case field_type::whole:
    case field_type::number:
        break;
    }
    auto schema = map({{"type", text(field.type == field_type::whole ? "integer" : "number")}});
    if (!field.least.is_null()) {
        schema.set("minimum", field.least);
    }
    if (!field.most.is_null()) {
        schema.set("maximum", field.most);
    }
    if (!is_duration(field)) {
        return or_interpolated(std::move(schema));
    }
    auto with_unit = map({{"type", text("string")}, {"pattern", text(R"(^[0-9.]+(ms|s|m|h|d)$|\$\{)")}});
    return map({{"anyOf", value::of_list({std::move(schema), std::move(with_unit)})}});
}

value field_schema(const field_info& field) {
    auto made = map({{"description", text(field.doc)}});
    auto shown = masked(field, field.default_value);
    if (!field.required && !shown.is_null()) {
        made.set("default", std::move(shown));
    }
    if (!field.example.is_null()) {
        made.set("examples", value::of_list({masked(field, field.example)}));
    }
    const auto type = type_schema(field);
    for (const auto& entry : type.entries()) {
        made.set(entry.key, entry.value);
    }
    return made;
}

// Added to `made`, the settings to `properties`. A setting that may be given elsewhere need not be here.
value settings_schema(value made, value properties, const std::vector<field_info>& fields, std::string_view elsewhere) {
    std::vector<std::string> required;
    for (const auto& field : fields) {
        properties.set(field.key, field_schema(field));
        if (field.required && field.key != elsewhere) {
            required.push_back(field.key);
        }
    }
    made.set("type", text("object"));
    made.set("properties", std::move(properties));
    made.set("required", value::of_texts(required));
    made.set("additionalProperties", value::of_boolean(false));
    return made;
}

// In a run file the top level may give `redis` for all.
enum class redis_comes { from_here, maybe_from_above };

value kind_schema(const spec_base& kind, redis_comes redis) {
    return settings_schema(
        map({{"title", text(kind.name())}, {"description", text(kind.summary())}}),
        map(
            {{"kind", map({{"const", text(kind.name())}})},
             {"tests", map({{"description", text("Tests of the file.")}, {"type", text("array")}})}}),
        kind.fields(), redis == redis_comes::maybe_from_above ? "redis" : "");
}

value reference(std::string_view name) {
    return map({{"$ref", text("#/$defs/" + std::string{name})}});
}

// `kind` decides which settings there are; by if and then, as the messages of oneOf are of no help.
value service_schema(std::span<const spec_base* const> kinds) {
    std::vector<std::string> names;
    std::vector<value> cases;
    for (const auto* kind : kinds) {
        names.push_back(kind->name());
        auto is_kind = map(
            {{"properties", map({{"kind", map({{"const", text(kind->name())}})}})},
             {"required", value::of_texts({"kind"})}});
        cases.push_back(map({{"if", std::move(is_kind)}, {"then", reference("kind-" + kind->name())}}));
    }
    auto made = map(
        {{"type", text("object")},
         {"properties", map({{"kind", map({{"enum", value::of_texts(names)}})}})},
         {"required", value::of_texts({"kind"})}});
    if (!cases.empty()) {
        made.set("allOf", value::of_list(std::move(cases)));
    }
    return made;
}

value services_schema() {
    auto services = map(
        {{"description", text("The services, by name.")},
         {"type", text("object")},
         {"minProperties", value::of_whole(1)},
         {"propertyNames", map({{"pattern", text("^[A-Za-z0-9_.-]{1,64}$")}})},
         {"additionalProperties", reference("service")}});
    auto redis =
        map({{"description", text("Server of every service that does not name its own.")}, {"type", text("string")}});
    auto tests = map({{"description", text("Tests of the file.")}, {"type", text("array")}});
    return map(
        {{"type", text("object")},
         {"properties",
          map({{"redis", std::move(redis)}, {"services", std::move(services)}, {"tests", std::move(tests)}})},
         {"required", value::of_texts({"services"})},
         {"additionalProperties", value::of_boolean(false)}});
}

value document(std::string_view id, std::string_view title) {
    return map(
        {{"$schema", text("https://json-schema.org/draft/2020-12/schema")}, {"$id", text(id)}, {"title", text(title)}});
}

} // namespace

std::string json_schema(std::span<const spec_base* const> kinds) {
    auto made = document("urn:leat:run-file", "leat run file");
    made.set("description", text("Several services under `services`, or one service with its `kind` at the top."));
    made.set("type", text("object"));
    made.set("if", map({{"required", value::of_texts({"services"})}}));
    made.set("then", reference("services-file"));
    made.set("else", reference("service"));
    auto definitions = map({{"services-file", services_schema()}, {"service", service_schema(kinds)}});
    for (const auto* kind : kinds) {
        definitions.set("kind-" + kind->name(), kind_schema(*kind, redis_comes::maybe_from_above));
    }
    made.set("$defs", std::move(definitions));
    return to_json(made) + "\n";
}

std::string json_schema(const spec_base& kind) {
    auto made = document("urn:leat:kind:" + kind.name(), "leat " + kind.name());
    const auto schema = kind_schema(kind, redis_comes::from_here);
    for (const auto& entry : schema.entries()) {
        if (entry.key != "title") {
            made.set(entry.key, entry.value);
        }
    }
    return to_json(made) + "\n";
}

} // namespace leat::config
