#include "config/reference.hpp"

#include "config/reader.hpp"
#include "config/write.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <map>

namespace leat::config {

namespace {

// Text in a cell of a table: on one line, and no bar of its own.
std::string cell(std::string_view text) {
    std::string made;
    for (char c : text) {
        made += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
    }
    return made;
}

std::string code(std::string_view text) {
    return fmt::format("`{}`", text);
}

std::string type_cell(const field_info& field) {
    if (is_duration(field)) {
        return "duration";
    }
    switch (field.type) {
    case field_type::text:
        return field.secret == secrecy::url ? "URL" : "text";
    case field_type::whole:
        return "whole number";
    case field_type::number:
        return "number";
    case field_type::boolean:
        return "true or false";
    case field_type::text_list:
        return "list of texts";
    case field_type::any:
        return "see there";
    case field_type::group:
        break;
    }
    return "map of settings";
}

std::string default_cell(const field_info& field) {
    if (field.required) {
        return "required";
    }
    auto shown = masked(field, field.default_value);
    auto unit = is_duration(field) ? " " + field.unit : "";
    return shown.is_null() ? "not set" : code(to_json(shown, 0)) + unit;
}

std::string bounds_cell(const field_info& field) {
    std::vector<std::string> parts;
    if (auto range = bounds(field); !range.empty()) {
        parts.push_back(range);
    } else if (!field.unit.empty()) {
        parts.push_back(field.unit);
    }
    if (!field.choices.empty()) {
        std::vector<std::string> all;
        std::ranges::transform(field.choices, std::back_inserter(all), code);
        parts.push_back(fmt::format("{}", fmt::join(all, " or ")));
    }
    if (field.at_least > 0) {
        parts.push_back(fmt::format("at least {}", field.at_least));
    }
    if (field.distinct) {
        parts.emplace_back("no two the same");
    }
    if (field.not_empty) {
        parts.emplace_back("not empty");
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string row(const field_info& field) {
    return fmt::format(
        "| {} | {} | {} | {} | {} |\n", code(field.name), type_cell(field), cell(default_cell(field)),
        cell(bounds_cell(field)), cell(field.doc));
}

// The settings that share a note, one line for all of them.
std::string notes(const spec_base& kind) {
    std::map<std::string, std::vector<std::string>> by_note;
    for (const auto* field : kind.all_fields()) {
        auto name = code(field->name);
        if (field->secret != secrecy::none) {
            by_note[field->secret == secrecy::url ? "The password in it is never shown." : "Never shown."].push_back(
                name);
        }
        if (!field->environment.empty()) {
            by_note[fmt::format("Also set by the environment's {}.", code(field->environment.front()))].push_back(name);
        }
        if (!field->needs.empty()) {
            by_note[fmt::format("No effect without {}.", code(field->needs))].push_back(name);
        }
    }
    std::string made;
    for (const auto& [note, names] : by_note) {
        made += fmt::format("- {}: {}\n", fmt::join(names, ", "), note);
    }
    if (std::ranges::any_of(kind.all_fields(), [](const auto* each) { return is_duration(*each); })) {
        made += "- A duration is a number of the unit that its default or its bounds show, or has a unit of its own: "
                "`500ms`, `2s`, "
                "`5m`, `1h`, `1d`.\n";
    }
    return made.empty() ? made : "\n## Notes\n\n" + made;
}

std::string block(std::string_view title, std::string_view yaml) {
    return fmt::format("\n### {}\n\n```yaml\n{}{}```\n", title, yaml, yaml.ends_with('\n') ? "" : "\n");
}

// Groups are off by default, and their settings would be missing.
void add_examples(value& map, const std::vector<field_info>& fields) {
    for (const auto& field : fields) {
        const auto* given = map.find(field.key);
        if (field.type == field_type::group) {
            auto inner = given && given->is_map() ? *given : value::of_map();
            add_examples(inner, field.inner);
            map.set(field.key, std::move(inner));
        } else if (!given && !field.example.is_null()) {
            map.set(field.key, field.example);
        }
    }
}

// The first example with every other setting at its own example or its default.
std::string full_example(const spec_base& kind, example_form form) {
    problems ignored; // an example with ${VAR} in it has no full form
    auto none = [](std::string_view) -> std::optional<std::string> { return std::nullopt; };
    auto read = read_text(kind.examples().front().text, "example", syntax::yaml, none, ignored);
    if (!read) {
        return "";
    }
    read->erase("kind");
    add_examples(*read, kind.fields());
    return block(
        "Every setting",
        (form == example_form::kind ? fmt::format("kind: {}\n", kind.name()) : "") + to_yaml(kind.normalised(*read)));
}

} // namespace

std::string example_file(const spec_base& kind, const example& shown) {
    bool says_kind = shown.text.starts_with("kind:") || shown.text.find("\nkind:") != std::string::npos;
    return says_kind ? shown.text : fmt::format("kind: {}\n{}", kind.name(), shown.text);
}

std::string reference_page(const spec_base& kind, example_form form) {
    auto page = fmt::format(
        "<!-- Generated by `leat docs {0}`: change the spec, not this page. -->\n# {0}\n\n{1}\n", kind.name(),
        kind.summary());
    if (!kind.description().empty()) {
        page += fmt::format("\n{}{}", kind.description(), kind.description().ends_with('\n') ? "" : "\n");
    }
    if (!kind.examples().empty()) {
        page += "\n## Examples\n";
        for (const auto& each : kind.examples()) {
            page += block(each.title, form == example_form::kind ? example_file(kind, each) : each.text);
        }
        page += full_example(kind, form);
    }
    page += "\n## Settings\n\n| setting | type | default | bounds | meaning |\n|---|---|---|---|---|\n";
    for (const auto* field : kind.all_fields()) {
        page += row(*field);
    }
    return page + notes(kind);
}

} // namespace leat::config
