#include "config/run_file.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>

#include <algorithm>

namespace leat::config {

namespace {

constexpr std::size_t longest_name = 64;

bool fits_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
}

class run_file_reader {
public:
    run_file_reader(std::span<const spec_base* const> kinds, problems& found)
        : kinds_{kinds}
        , found_{found} {
        std::ranges::transform(kinds, std::back_inserter(names_), &spec_base::name);
    }

    const spec_base* kind_of(const value& map, std::string_view whose) {
        const auto* given = map.find("kind");
        if (!given) {
            found_.error(map.where(), fmt::format("{} has no kind; known are {}", whose, fmt::join(names_, ", ")));
            return nullptr;
        }
        auto name = given->to_text();
        if (!name) {
            found_.error(given->where(), fmt::format("kind: expected text, found {}", describe(*given)));
            return nullptr;
        }
        auto known = std::ranges::find(kinds_, *name, &spec_base::name);
        if (known != kinds_.end()) {
            return *known;
        }
        auto hint = did_you_mean(*name, names_);
        found_.error(
            given->where(), fmt::format(
                                "unknown kind {}{}", *name,
                                hint.empty() ? fmt::format("; known are {}", fmt::join(names_, ", ")) : hint));
        return nullptr;
    }

    void top_level(const value& root) {
        const std::vector<std::string> known{"services", "redis", "tests", "kind"};
        for (const auto& entry : root.entries()) {
            if (std::ranges::find(known, entry.key) == known.end()) {
                found_.error(
                    entry.key_position,
                    fmt::format("unknown top-level key {}{}", entry.key, did_you_mean(entry.key, known)));
            } else if (entry.key == "kind") {
                found_.error(entry.key_position, "a file has either kind or services, not both");
            } else if (entry.key == "tests") {
                tests(entry.value);
            } else if (entry.key == "redis" && !entry.value.is_null() && !entry.value.to_text()) {
                found_.error(entry.value.where(), fmt::format("redis: expected text, found {}", describe(entry.value)));
            }
        }
    }

    run_file services(const value& root) {
        run_file made;
        const auto& services = *root.find("services");
        if (!services.is_map() || services.entries().empty()) {
            found_.error(
                services.where(),
                services.is_map() || services.is_null()
                    ? "services is empty; give at least one, as `name: {kind: ...}`"
                    : fmt::format("services: expected a map of services, found {}", describe(services)));
            return made;
        }
        for (const auto& entry : services.entries()) {
            if (auto one = service(entry, root.find("redis"))) {
                made.services.push_back(std::move(*one));
            }
        }
        return made;
    }

private:
    void tests(const value& tests) {
        if (!tests.is_list() && !tests.is_null()) {
            found_.error(tests.where(), fmt::format("tests: expected a list, found {}", describe(tests)));
        }
    }

    std::optional<service_declaration> service(const value::entry& entry, const value* redis) {
        if (!is_service_name(entry.key)) {
            found_.error(entry.key_position, "the name of a service has 1 to 64 letters, digits, `_`, `.` or `-`");
        }
        if (!entry.value.is_map()) {
            found_.error(
                entry.value.is_null() ? entry.key_position : entry.value.where(),
                fmt::format(
                    "service {}: expected a map with its kind and settings, found {}", entry.key,
                    describe(entry.value)));
            return std::nullopt;
        }
        const auto* kind = kind_of(entry.value, "service " + entry.key);
        if (!kind) {
            return std::nullopt;
        }
        auto settings = entry.value;
        settings.erase("kind");
        const auto* own = settings.find("redis");
        if (redis && (!own || own->is_null()) && kind->find("redis")) {
            settings.set("redis", *redis);
        }
        return service_declaration{entry.key, kind, std::move(settings), entry.key_position};
    }

    std::span<const spec_base* const> kinds_;
    problems& found_;
    std::vector<std::string> names_;
};

service_declaration declaration(const value& root, const std::string& path, const spec_base& kind) {
    auto settings = root.is_null() ? value::of_map({}, root.where()) : root;
    settings.erase("kind");
    settings.erase("tests");
    return {service_name_after(path, kind.name()), &kind, std::move(settings), root.where()};
}

} // namespace

bool is_service_name(std::string_view text) {
    return !text.empty() && text.size() <= longest_name && std::ranges::all_of(text, fits_name);
}

std::string service_name_after(std::string_view path, const std::string& otherwise) {
    auto file = path.substr(path.find_last_of('/') + 1);
    std::string stem{file.substr(0, file.find_last_of('.'))};
    std::ranges::replace_if(stem, [](char c) { return !fits_name(c); }, '-');
    stem.resize(std::min(stem.size(), longest_name));
    return stem.empty() ? otherwise : stem;
}

run_file read_run_file(
    const value& root, const std::string& path, std::span<const spec_base* const> kinds, problems& found) {
    auto errors = found.error_count();
    run_file_reader reader{kinds, found};
    run_file made;
    if (!root.is_map()) {
        auto where = root.where().file.empty() ? position{path} : root.where();
        found.error(where, fmt::format("expected a map with `services` or `kind`, found {}", describe(root)));
    } else if (root.find("services")) {
        reader.top_level(root);
        made = reader.services(root);
    } else if (root.find("kind")) {
        if (const auto* kind = reader.kind_of(root, "the file")) {
            made.services.push_back(declaration(root, path, *kind));
        }
    } else {
        const std::vector<std::string> either{"services", "kind"};
        for (const auto& entry : root.entries()) {
            if (auto meant = nearest(entry.key, either)) {
                found.error(
                    entry.key_position, fmt::format("unknown top-level key {}; did you mean {}?", entry.key, *meant));
            }
        }
        if (found.error_count() == errors) {
            found.error(root.where(), "expected `services` or `kind` at the top level, found neither");
        }
    }
    return made;
}

std::optional<service_declaration> read_props(
    const value& root, const std::string& path, const spec_base& kind, problems& found) {
    if (!root.is_map() && !root.is_null()) {
        found.error(root.where(), fmt::format("expected a map of settings, found {}", describe(root)));
        return std::nullopt;
    }
    if (root.find("services") && !kind.find("services")) {
        found.error(
            root.find_entry("services")->key_position,
            fmt::format("this file holds several services: run it with `leat run`, not as {}", kind.name()));
        return std::nullopt;
    }
    const auto* said = root.find("kind");
    if (said && said->to_text() != kind.name()) {
        found.error(said->where(), fmt::format("kind: expected {}, found {}", kind.name(), describe(*said)));
        return std::nullopt;
    }
    return declaration(root, path, kind);
}

} // namespace leat::config
