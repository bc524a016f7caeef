#include "routing/route_case.hpp"

#include "config/write.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>

namespace leat::routing {

using config::value;

std::string message_of(const value& given) {
    auto text = given.is_text() ? given.to_text() : std::nullopt;
    return text ? *text : config::to_json(given, 0);
}

std::vector<declared> declared_for(
    const route_case& one, const router_settings& settings, const processor_table& known) {
    auto all = checked_configs(settings.configs, known);
    if (one.overrides.is_map()) {
        for (const auto& entry : one.overrides.entries()) {
            auto found = std::ranges::find(all, entry.key, &declared::name);
            for (const auto& setting : entry.value.entries()) {
                found->settings.set(setting.key, setting.value);
            }
        }
    }
    return all;
}

namespace {

class case_reader {
public:
    case_reader(const router_settings& settings, const processor_table& known, config::problems& found)
        : found_{found}
        , all_{checked_configs(settings.configs, known)} {}

    void read(const value& given, std::vector<route_case>& cases) {
        if (!given.is_map()) {
            found_.error(given.where(), "tests: expected a map with name, given and expect");
            return;
        }
        known_keys(given, {"name", "given", "before", "importer", "overrides", "answers", "expect"}, "a test");
        route_case one{.name = fmt::format("test {}", cases.size() + 1), .where = given.where()};
        if (const auto* name = given.find("name")) {
            one.name = name->to_text().value_or(one.name);
        }
        const auto* message = given.find("given");
        if (message == nullptr) {
            found_.error(given.where(), fmt::format("test \"{}\": expected `given`, the message", one.name));
        } else {
            one.given = message_of(*message);
        }
        if (const auto* before = given.find("before"); before != nullptr && before->is_list()) {
            for (const auto& each : before->items()) {
                one.before.push_back(message_of(each));
            }
        } else if (before != nullptr) {
            found_.error(before->where(), "before: expected a list of messages");
        }
        one.importer = importer(given);
        one.overrides = processors(given, "overrides");
        one.answers = processors(given, "answers");
        check_answers(one.answers);
        expectation(given, one);
        cases.push_back(std::move(one));
    }

private:
    void known_keys(const value& map, const std::vector<std::string>& known, std::string_view of) {
        for (const auto& entry : map.entries()) {
            if (std::ranges::find(known, entry.key) == known.end()) {
                found_.error(
                    entry.key_position,
                    fmt::format("unknown key {} of {}{}", entry.key, of, config::did_you_mean(entry.key, known)));
            }
        }
    }

    std::string importer(const value& given) {
        std::vector<std::string> names;
        for (const auto& each : all_) {
            if (each.type != nullptr && each.type->is == role::importer) {
                names.push_back(each.name);
            }
        }
        const auto* said = given.find("importer");
        auto name = said != nullptr ? said->to_text().value_or("") : std::string{};
        if (said == nullptr && names.size() != 1) {
            found_.error(given.where(), fmt::format("expected `importer`, one of {}", fmt::join(names, ", ")));
        } else if (said != nullptr && std::ranges::find(names, name) == names.end()) {
            found_.error(said->where(), fmt::format("unknown importer {}{}", name, config::did_you_mean(name, names)));
        }
        return said != nullptr ? name : names.empty() ? "" : names.front();
    }

    // A map by the names of processors.
    value processors(const value& given, std::string_view key) {
        const auto* map = given.find(key);
        if (map == nullptr || map->is_null()) {
            return value::null();
        }
        if (!map->is_map()) {
            found_.error(map->where(), fmt::format("{}: expected a map by the names of processors", key));
            return value::null();
        }
        std::vector<std::string> names;
        std::ranges::transform(all_, std::back_inserter(names), &declared::name);
        for (const auto& entry : map->entries()) {
            if (std::ranges::find(names, entry.key) == names.end()) {
                found_.error(
                    entry.key_position,
                    fmt::format("{}: unknown processor {}{}", key, entry.key, config::did_you_mean(entry.key, names)));
            } else if (!entry.value.is_map()) {
                found_.error(entry.value.where(), fmt::format("{}: expected a map for {}", key, entry.key));
            }
        }
        return *map;
    }

    void check_answers(const value& answers) {
        if (!answers.is_map()) {
            return;
        }
        for (const auto& entry : answers.entries()) {
            if (entry.value.is_map()) {
                known_keys(entry.value, {"reply", "error", "silent"}, "an answer");
                if (entry.value.entries().size() != 1) {
                    found_.error(entry.key_position, "an answer is one of reply, error, silent: true");
                }
            }
        }
    }

    void expectation(const value& given, route_case& one) {
        const auto* expect = given.find("expect");
        if (expect == nullptr || !expect->is_map() || expect->entries().empty()) {
            found_.error(
                expect == nullptr ? given.where() : expect->where(),
                fmt::format("test \"{}\": expected `expect`, a map of reply, outs and error", one.name));
            return;
        }
        known_keys(*expect, {"reply", "outs", "error"}, "expect");
        const auto* outs = expect->find("outs");
        bool lists = outs == nullptr || (outs->is_map() && std::ranges::all_of(outs->entries(), [](const auto& each) {
                                             return each.value.is_list();
                                         }));
        if (!lists) {
            found_.error(outs->where(), "outs: expected a map of queues, each with the list of its messages");
        }
        one.expect = *expect;
    }

    config::problems& found_;
    std::vector<declared> all_;
};

} // namespace

std::vector<route_case> read_route_cases(
    const value& tests, const router_settings& settings, const processor_table& known, config::problems& found) {
    std::vector<route_case> cases;
    if (!tests.is_list()) {
        found.error(tests.where(), fmt::format("tests: expected a list, found {}", describe(tests)));
        return cases;
    }
    case_reader reader{settings, known, found};
    for (const auto& each : tests.items()) {
        reader.read(each, cases);
    }
    for (const auto& each : cases) { // what the overrides make of the configuration
        if (each.overrides.is_map() && !found.any_errors()) {
            for (const auto& one : declared_for(each, settings, known)) {
                one.type->spec->lint(one.settings, found);
            }
        }
    }
    return cases;
}

bool needs_redis(const route_case& one, const router_settings& settings, const processor_table& known) {
    return std::ranges::any_of(declared_for(one, settings, known), [&one](const declared& each) {
        bool is_canned = one.answers.is_map() && one.answers.find(each.name) != nullptr;
        return !is_canned && each.type->needs_redis(each.settings);
    });
}

} // namespace leat::routing
