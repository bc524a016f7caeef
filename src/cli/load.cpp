#include "cli/load.hpp"

#include "base/unicode.hpp"
#include "config/reader.hpp"
#include "routing/route_config.hpp"

#include <filesystem>
#include <iostream>
#include <tuple>

namespace leat::cli {

std::vector<std::string> kind_names(const program& shared) {
    std::vector<std::string> names;
    names.reserve(shared.specs.size());
    for (const auto* spec : shared.specs) {
        names.push_back(spec->name());
    }
    return names;
}

namespace {

// `-` is the standard input.
std::vector<config::service_declaration> load_one(
    const program& shared, const std::string& path, const std::string& kind, config::problems& found,
    config::value* tests) {
    bool is_folder = (kind.empty() || kind == "router") && std::filesystem::is_directory(path);
    auto root = is_folder     ? config::read_folder(path, config::process_environment(), found)
                : path == "-" ? config::read_stream(std::cin, "stdin", config::process_environment(), found)
                              : config::read_file(path, config::process_environment(), found);
    if (!root) {
        return {};
    }
    const auto name = path == "-" ? std::string{"stdin"} : path;
    if (is_folder || kind == "router") { // a folder holds the processors of a router
        root = routing::router_settings_of(std::move(*root), is_folder);
    }
    if (tests != nullptr && root->find("tests") != nullptr) {
        *tests = *root->find("tests");
    }
    if (kind.empty() && !is_folder) {
        return config::read_run_file(*root, name, shared.specs, found).services;
    }
    const auto* known = runtime::find_kind(shared.kinds, is_folder && kind.empty() ? "router" : kind);
    if (known == nullptr) {
        found.error({.file = "--kind"}, "unknown kind " + kind + config::did_you_mean_or_all(kind, kind_names(shared)));
        return {};
    }
    std::vector<config::service_declaration> one;
    if (auto read = config::read_props(*root, name, *known->spec, found)) {
        one.push_back(std::move(*read));
    }
    return one;
}

} // namespace

std::vector<config::service_declaration> load_files(
    const program& shared, const std::vector<std::string>& paths, const std::string& kind, config::problems& found,
    config::value* tests) {
    std::vector<config::service_declaration> services;
    for (const auto& path : paths) {
        for (auto& each : load_one(shared, path, kind, found, tests)) {
            auto same = std::ranges::find(services, each.name, &config::service_declaration::name);
            if (same != services.end()) {
                found.error(
                    each.where, "a service named " + each.name + " is also declared at " + to_string(same->where));
            }
            services.push_back(std::move(each));
        }
    }
    return services;
}

void check(const program& shared, const std::vector<config::service_declaration>& services, config::problems& found) {
    std::vector<runtime::declared_forwarding> movers;
    for (const auto& each : services) {
        bool good = each.spec->lint(each.settings, found);
        const auto& kind = *runtime::find_kind(shared.kinds, each.spec->name());
        if (good && kind.forwards) {
            for (auto& way : kind.forwards(each.settings)) {
                movers.push_back({each.name, each.where, std::move(way)});
            }
        }
    }
    runtime::check_cycles(movers, found);
}

std::vector<config::problem> in_order(const config::problems& found) {
    auto all = found.all();
    std::ranges::sort(all, {}, [](const config::problem& each) {
        return std::tie(each.where.file, each.where.line, each.where.column, each.text);
    });
    return all;
}

void print(const config::problems& found) {
    for (const auto& each : in_order(found)) {
        std::cerr << base::printable(config::to_string(each), 10'000) << "\n"; // it may quote what the file holds
    }
}

} // namespace leat::cli
