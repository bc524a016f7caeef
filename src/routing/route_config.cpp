#include "routing/route_config.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>
#include <set>

namespace leat::routing {
namespace {

using config::value;

class config_reader {
public:
    config_reader(const processor_table& known, config::problems& found)
        : known_{known}
        , found_{found} {}

    std::vector<declared> read(const value& configs) {
        if (configs.is_map()) {
            for (const auto& entry : configs.entries()) {
                declare(entry.key, entry.key_position, entry.value);
            }
        } else if (configs.is_list()) {
            for (const auto& item : configs.items()) {
                const auto* name = item.find("processorName");
                auto text = name != nullptr ? name->to_text() : std::nullopt;
                if (!text) {
                    found_.error(item.where(), "expected a map of settings with processorName, the processor's name");
                    continue;
                }
                auto settings = item;
                settings.erase("processorName");
                declare(*text, name->where(), std::move(settings));
            }
        } else {
            found_.error(
                configs.where(),
                fmt::format("configs: expected a map or a list of processors, found {}", describe(configs)));
        }
        return std::move(all_);
    }

private:
    void declare(const std::string& name, const config::position& where, value settings) {
        if (const auto* same = find_declared(all_, name)) {
            found_.error(where, fmt::format("{} is also declared at {}", name, config::to_string(same->where)));
            return;
        }
        const auto* type = known_.find(name);
        if (type == nullptr) {
            found_.error(where, unknown(name));
            return;
        }
        if (settings.is_null()) {
            settings = value::of_map({}, where);
        }
        if (!settings.is_map()) {
            found_.error(settings.where(), fmt::format("{}: expected a map of settings", name));
            return;
        }
        if (type->is == role::exporter) {
            refuse_intake(name, settings);
        }
        bool fine = type->spec->lint(settings, found_);
        all_.push_back({name, where, fine ? type : nullptr, std::move(settings)});
    }

    // What only importers have is told in better words than as an unknown setting.
    void refuse_intake(const std::string& name, value& settings) {
        const auto* queue = settings.find("queue");
        if (queue != nullptr && queue->find_entry("in") != nullptr) {
            found_.error(
                queue->find_entry("in")->key_position,
                fmt::format("{} is an exporter: it takes nothing, so it has no queue.in", name));
            auto without = *queue;
            without.erase("in");
            settings.set("queue", std::move(without));
        }
        if (const auto* route = settings.find_entry("route")) {
            found_.error(
                route->key_position, fmt::format("{} is an exporter: a route ends with it, so it has none", name));
            settings.erase("route");
        }
    }

    std::string unknown(const std::string& name) const {
        auto dot = name.rfind('.');
        auto names = known_.names();
        auto type = name.substr(0, dot == std::string::npos ? name.size() : dot);
        type = type.substr(type.rfind('.') + 1);
        if (std::ranges::find(names, type) != names.end()) {
            return fmt::format("{} names a type; a processor has an instance behind it, as {}.singleton", name, type);
        }
        auto near = config::nearest(type, names);
        return near ? fmt::format("unknown type of processor {} in {}; did you mean {}?", type, name, *near)
                    : fmt::format(
                          "unknown type of processor {} in {}; known are {}", type, name, fmt::join(names, ", "));
    }

    const processor_table& known_;
    config::problems& found_;
    std::vector<declared> all_;
};

// Where routes lead.
class route_checker {
public:
    route_checker(std::span<const declared> all, config::problems& found)
        : all_{all}
        , found_{found} {
        for (const auto& each : all) {
            names_.push_back(each.name);
        }
    }

    // `is_whole`: nothing was left out because of an error.
    void check(const config::position& where, bool is_whole) {
        bool any_importer = false;
        for (const auto& each : all_) {
            if (each.type == nullptr) {
                continue;
            }
            for (const auto* names : each.type->routes(each.settings)) {
                check_route(*names);
            }
            any_importer = any_importer || each.type->is == role::importer;
            warn_of_return(each);
        }
        for (const auto& each : all_) {
            std::vector<const declared*> path;
            if (each.type != nullptr && each.type->is != role::importer) {
                find_cycle(each, path);
            }
        }
        for (const auto& each : all_) {
            if (is_whole && each.type->is != role::importer && !used_.contains(each.name)) {
                found_.warning(each.where, fmt::format("no route leads to {}", each.name));
            }
        }
        if (is_whole && !any_importer) {
            found_.error(
                where, "there is no importer, so nothing ever comes in; declare one, as RedisImporter.singleton");
        }
    }

private:
    static std::string queue_of(const declared& one, std::string_view role) {
        const auto* queue = one.settings.find("queue");
        const auto* list = queue != nullptr ? queue->find(role) : nullptr;
        return list != nullptr ? list->to_text().value_or("") : "";
    }

    void warn_of_return(const declared& exporter) {
        auto out = queue_of(exporter, "out");
        for (const auto& each : all_) {
            if (!out.empty() && exporter.settings.find("redis") == nullptr && queue_of(each, "in") == out) {
                tell_return(exporter, each, out);
            }
        }
    }

    // Through a router it may be meant.
    void tell_return(const declared& exporter, const declared& to, const std::string& out) {
        auto where = exporter.settings.find("queue")->find("out")->where();
        bool certain = false;
        for (const auto* names : to.type != nullptr ? to.type->routes(to.settings) : std::vector<const value*>{}) {
            certain = certain || std::ranges::any_of(names->items(), [&exporter](const value& each) {
                          return each.to_text() == exporter.name;
                      });
        }
        if (certain) {
            found_.error(where, fmt::format("`{}` is also queue.in of {}: messages go round for ever", out, to.name));
        } else {
            found_.warning(where, fmt::format("`{}` is also queue.in of {}: messages may go round", out, to.name));
        }
    }

    void check_route(const value& names) {
        for (std::size_t i = 0; i < names.items().size(); ++i) {
            const auto& item = names.items()[i];
            auto name = item.to_text().value_or("");
            const auto* next = find_declared(all_, name);
            if (next == nullptr) {
                found_.error(
                    item.where(),
                    fmt::format("route: unknown processor {}{}", name, config::did_you_mean(name, names_)));
                return;
            }
            used_.insert(name);
            if (next->type == nullptr) {
                return; // its own problems are told
            }
            bool last = i + 1 == names.items().size();
            bool ends = next->type->is == role::exporter || next->type->is == role::router;
            if (next->type->is == role::importer) {
                found_.error(item.where(), fmt::format("route: {} is an importer, and nothing leads to it", name));
            } else if (last && !ends) {
                found_.error(
                    item.where(),
                    fmt::format(
                        "route: it ends nowhere: {} passes messages on, and nothing is behind it; end it with an "
                        "exporter or a router",
                        name));
            } else if (!last && ends) {
                found_.error(
                    names.items()[i + 1].where(),
                    fmt::format("route: nothing comes here, {} before it passes nothing on", name));
            }
        }
    }

    // Depth first; what was seen once leads to no other cycle.
    void find_cycle(const declared& at, std::vector<const declared*>& path) {
        auto before = std::ranges::find(path, &at);
        if (before != path.end()) {
            std::vector<std::string> names;
            for (auto each = before; each != path.end(); ++each) {
                names.push_back((*each)->name);
            }
            names.push_back(at.name);
            found_.error(at.where, fmt::format("messages go round for ever: {}", fmt::join(names, " -> ")));
            return;
        }
        if (!seen_.insert(&at).second) {
            return;
        }
        path.push_back(&at);
        for (const auto* names : at.type->routes(at.settings)) {
            for (const auto& item : names->items()) {
                const auto* next = find_declared(all_, item.to_text().value_or(""));
                if (next != nullptr && next->type != nullptr) {
                    find_cycle(*next, path);
                }
            }
        }
        path.pop_back();
    }

    std::span<const declared> all_;
    config::problems& found_;
    std::vector<std::string> names_;
    std::set<std::string> used_;
    std::set<const declared*> seen_;
};

} // namespace

std::vector<declared> read_configs(const value& configs, const processor_table& known, config::problems& found) {
    auto errors = found.error_count();
    auto all = config_reader{known, found}.read(configs);
    route_checker{all, found}.check(configs.where(), found.error_count() == errors);
    return all;
}

std::vector<declared> checked_configs(const value& configs, const processor_table& known) {
    config::problems told_before;
    return read_configs(configs, known, told_before);
}

value router_settings_of(value root, bool is_folder) {
    if (is_folder) {
        const auto* redix = root.find("redix");
        auto settings = redix != nullptr && redix->is_map() ? *redix : value::of_map({}, root.where());
        if (const auto* tests = root.find("tests"); tests != nullptr && tests->is_list()) {
            settings.set("tests", *tests);
        }
        root.erase("redix");
        root.erase("tests");
        if (settings.find("configs") == nullptr) {
            settings.set("configs", std::move(root));
        }
        return settings;
    }
    bool only_processors =
        root.is_map() && !root.entries().empty() &&
        std::ranges::all_of(root.entries(), [](const auto& each) { return each.key.find('.') != std::string::npos; });
    if (root.is_list() || only_processors) {
        auto settings = value::of_map({}, root.where());
        settings.set("configs", std::move(root));
        return settings;
    }
    return root;
}

const declared* find_declared(std::span<const declared> all, std::string_view name) {
    auto one = std::ranges::find(all, name, &declared::name);
    return one == all.end() ? nullptr : &*one;
}

} // namespace leat::routing
