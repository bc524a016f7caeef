#pragma once

#include "routing/processor_type.hpp"

#include <span>
#include <string>
#include <vector>

namespace leat::routing {

// A processor as a configuration declares it.
struct declared {
    std::string name;
    config::position where;
    const processor_type* type = nullptr;
    config::value settings; // without processorName
};

// `configs` as a map {name: settings} or a list of settings with `processorName`. Everything is checked: each processor
// by its own spec, and where the routes lead. What could be read comes back even after an error.
std::vector<declared> read_configs(const config::value& configs, const processor_table& known, config::problems& found);

// Of configs that have passed the lint.
std::vector<declared> checked_configs(const config::value& configs, const processor_table& known);

// The settings of a router from whatever its file or folder holds: its settings; or nothing but processors, as a map, a
// list, or a folder's files (`redix` among them has the settings, `tests` the tests).
config::value router_settings_of(config::value root, bool is_folder);

const declared* find_declared(std::span<const declared> all, std::string_view name);

} // namespace leat::routing
