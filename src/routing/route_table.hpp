#pragma once

#include "routing/importer.hpp"
#include "routing/route_config.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace leat::routing {

// The processors and importers of a configuration that has passed its check, made and connected.
class route_table {
public:
    route_table(const std::vector<declared>& all, const processor_context& context);

    std::vector<std::unique_ptr<importer>>& importers() { return importers_; }
    importer* find_importer(std::string_view name) const;

private:
    route find_route(const config::value& names);
    processor& make(const std::string& name);

    const std::vector<declared>* declared_ = nullptr; // while it is made
    const processor_context* context_ = nullptr;
    std::map<std::string, std::unique_ptr<processor>> processors_;
    std::vector<std::unique_ptr<importer>> importers_;
};

} // namespace leat::routing
