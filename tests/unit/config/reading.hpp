#pragma once

#include "config/reader.hpp"
#include "config/write.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace leat::config {

// What a read gave: the tree, and the problems as the lines that people see.
struct reading {
    std::optional<value> tree;
    std::vector<std::string> lines;

    std::string json() const { return tree ? to_json(*tree, 0) : "none"; }
};

inline std::vector<std::string> lines_of(const problems& found) {
    std::vector<std::string> lines;
    for (const auto& each : found.all()) {
        lines.push_back(to_string(each));
    }
    return lines;
}

inline environment variables(std::map<std::string, std::string> all) {
    return [all = std::move(all)](std::string_view name) -> std::optional<std::string> {
        auto found = all.find(std::string{name});
        return found == all.end() ? std::nullopt : std::optional{found->second};
    };
}

inline reading read(syntax form, std::string_view text, const environment& env = variables({})) {
    static const std::map<syntax, std::string> names{
        {syntax::yaml, "f.yaml"}, {syntax::json, "f.json"}, {syntax::js, "f.js"}};
    problems found;
    auto tree = read_text(text, names.at(form), form, env, found);
    return {std::move(tree), lines_of(found)};
}

inline reading yaml(std::string_view text, const environment& env = variables({})) {
    return read(syntax::yaml, text, env);
}

} // namespace leat::config
