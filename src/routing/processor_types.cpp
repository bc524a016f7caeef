#include "routing/processors.hpp"

#include <algorithm>

namespace leat::routing {

// All that a route can be made of. A new processor is a row here.
const std::vector<processor_type>& processor_types() {
    static const std::vector<processor_type> all{
        redis_importer_type(),         //
        http_request_validator_type(), //
        schema_validator_type(),       //
        rate_limit_filter_type(),      //
        expired_filter_type(),         //
        timeout_filter_type(),         //
        duration_monitor_type(),       //
        dedupe_filter_type(),          //
        regexp_router_type(),          //
        multicast_type(),              //
        redis_exporter_type(),
    };
    return all;
}

const processor_type* type_of_name(std::string_view name) {
    auto dot = name.rfind('.');
    if (dot == std::string_view::npos || dot + 1 == name.size()) {
        return nullptr;
    }
    auto type = name.substr(0, dot);
    type.remove_prefix(type.rfind('.') + 1); // npos + 1 is 0
    auto found = std::ranges::find_if(
        processor_types(), [type](const processor_type& each) { return each.spec->name() == type; });
    return found == processor_types().end() ? nullptr : &*found;
}

std::vector<std::string> type_names() {
    std::vector<std::string> names;
    for (const auto& each : processor_types()) {
        names.push_back(each.spec->name());
    }
    return names;
}

std::vector<const config::value*> one_route(const config::value& settings) {
    const auto* found = settings.find("route");
    return found != nullptr && found->is_list() ? std::vector{found} : std::vector<const config::value*>{};
}

std::vector<const config::value*> routes_in(const config::value& settings, std::string_view list) {
    std::vector<const config::value*> found;
    const auto* maps = settings.find(list);
    if (maps != nullptr && maps->is_list()) {
        for (const auto& each : maps->items()) {
            for (const auto* names : one_route(each)) {
                found.push_back(names);
            }
        }
    }
    return found;
}

std::vector<config::typed_field<drop_queue>> drop_fields(std::string doc, const char* example) {
    return {config::field("drop", &drop_queue::drop, std::move(doc)).not_empty().example(example)};
}

config::typed_field<described> description_field() {
    return config::field("description", &described::description, "For people.").example("Orders of the shop");
}

} // namespace leat::routing
