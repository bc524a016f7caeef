#pragma once

#include "config/field.hpp"

namespace leat::config {

// A file that works, for the reference; the tests of the kinds run each.
struct example {
    std::string title;
    std::string text; // YAML, the settings alone
};

// Tells problems of a map of settings by the setting's name; its place is found here. A setting that is not in the map
// has the map's place; `retry.attempts` is looked for in the group, and has the group's place when it is not there.
class reporter {
public:
    reporter(const value& map, problems& found)
        : map_{map}
        , found_{found} {}

    const value& map() const { return map_; }
    problems& found() const { return found_; }

    void error(std::string_view setting, std::string text) const;
    void error(std::string_view setting, std::size_t index, std::string text) const;
    void warning(std::string_view setting, std::string text) const;
    void warning(std::string_view setting, std::size_t index, std::string text) const;

private:
    position where(std::string_view setting, std::optional<std::size_t> index) const;

    const value& map_;
    problems& found_;
};

// A kind and its settings, without their C++ struct: what lint, echo, docs and schema work with.
class spec_base {
public:
    virtual ~spec_base() = default;

    const std::string& name() const { return name_; }
    const std::string& summary() const { return summary_; }
    const std::string& description() const { return description_; }
    const std::vector<field_info>& fields() const { return fields_; }
    // ... and those in groups, each after its group.
    std::vector<const field_info*> all_fields() const;
    const std::vector<example>& examples() const { return examples_; }
    const field_info* find(std::string_view setting) const;
    std::vector<std::string> setting_names() const; // also `retry.attempts`

    // Tells every problem; false when there was an error.
    virtual bool lint(const value& map, problems& found) const = 0;

    // All settings in the spec's order, in their types, with the defaults, without those that have no value; secrets
    // masked. Settings that lint refuses are left out when unknown, and kept as they are when wrong.
    value normalised(const value& map) const;

protected:
    // Throws std::logic_error when the spec contradicts itself.
    spec_base(
        std::string name, std::string summary, std::string description, std::vector<field_info> fields,
        std::vector<example> examples);
    spec_base(const spec_base&) = default;
    spec_base(spec_base&&) = default;
    spec_base& operator=(const spec_base&) = default;
    spec_base& operator=(spec_base&&) = default;

    // Tells every problem. False when a known setting is wrong, so that the rules between settings cannot be tried.
    bool check_fields(const value& map, problems& found) const;

private:
    std::string name_;
    std::string summary_;
    std::string description_;
    std::vector<field_info> fields_;
    std::vector<example> examples_;
};

} // namespace leat::config
