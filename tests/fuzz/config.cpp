// Whatever a configuration file holds: it is read, or its problems are told with their places.
#include "config/reader.hpp"
#include "config/run_file.hpp"
#include "config/write.hpp"
#include "routing/route_config.hpp"
#include "routing/route_test.hpp"
#include "routing/router_settings.hpp"
#include "routing/routing.hpp"

#include <cstdlib>

using namespace leat;

namespace {

void need(bool holds) {
    if (!holds) {
        std::abort();
    }
}

void look(const config::value& root, config::problems& found) {
    static const routing::processor_table known{routing::processors()};
    static const auto router = routing::router_spec(known);
    static const std::vector<const config::spec_base*> kinds{&router};
    auto file = config::read_run_file(root, "fuzz.yaml", kinds, found);
    for (const auto& each : file.services) {
        if (each.spec->lint(each.settings, found)) {
            auto settings = router.read(each.settings, found).value();
            config::to_yaml(each.spec->normalised(each.settings));
            if (const auto* tests = root.find("tests")) {
                routing::read_route_cases(*tests, settings, known, found);
            }
        }
    }
    config::problems of_routes;
    routing::read_configs(root, known, of_routes);
    for (const auto& each : of_routes.all()) {
        need(!each.text.empty());
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text{reinterpret_cast<const char*>(data), size};
    auto variable = [](std::string_view name) -> std::optional<std::string> {
        return name == "KNOWN" ? std::optional<std::string>{"value"} : std::nullopt;
    };
    for (auto form : {config::syntax::yaml, config::syntax::json, config::syntax::js}) {
        config::problems found;
        auto root = config::read_text(text, "fuzz.yaml", form, variable, found);
        need(root.has_value() || found.any_errors());
        if (root) {
            look(*root, found);
            auto again = config::to_json(*root);
            config::problems none;
            auto same = config::read_text(again, "again.json", config::syntax::json, variable, none);
            need(same.has_value() || again.find("${") != std::string::npos || none.any_errors());
        }
    }
    return 0;
}
