#include "routing/route_table.hpp"

namespace leat::routing {

route_table::route_table(const std::vector<declared>& all, const processor_context& context)
    : declared_{&all}
    , context_{&context} {
    for (const auto& each : all) {
        if (each.type->is == role::importer) {
            auto along = find_route(*each.settings.find("route"));
            importers_.push_back(each.type->make_importer(each.name, each.settings, context, std::move(along)));
        }
    }
    declared_ = nullptr;
    context_ = nullptr;
}

route route_table::find_route(const config::value& names) {
    route made;
    for (const auto& each : names.items()) {
        made.push_back(&make(each.to_text().value()));
    }
    return made;
}

// When it is first named; routes do not go round, so this ends.
processor& route_table::make(const std::string& name) {
    auto found = processors_.find(name);
    if (found == processors_.end()) {
        const auto& one = *find_declared(*declared_, name);
        auto made = one.type->make(
            name, one.settings, *context_, [this](const config::value& names) { return find_route(names); });
        found = processors_.emplace(name, std::move(made)).first;
    }
    return *found->second;
}

importer* route_table::find_importer(std::string_view name) const {
    for (const auto& each : importers_) {
        if (each->name() == name) {
            return each.get();
        }
    }
    return nullptr;
}

} // namespace leat::routing
