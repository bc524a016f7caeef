#include "routing/processors.hpp"

#include <algorithm>

namespace leat::routing {

// A new processor of this room is a row here.
std::vector<processor_type> processors() {
    return {
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
}

const processor_type* processor_table::find(std::string_view processor) const {
    auto dot = processor.rfind('.');
    if (dot == std::string_view::npos || dot + 1 == processor.size()) {
        return nullptr;
    }
    auto type = processor.substr(0, dot);
    type.remove_prefix(type.rfind('.') + 1); // npos + 1 is 0
    auto found = std::ranges::find_if(all_, [type](const processor_type& each) { return each.spec->name() == type; });
    return found == all_.end() ? nullptr : &*found;
}

std::vector<std::string> processor_table::names() const {
    std::vector<std::string> names;
    names.reserve(all_.size());
    for (const auto& each : all_) {
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
