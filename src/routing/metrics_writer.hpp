#pragma once

#include "routing/tally.hpp"
#include "runtime/kind.hpp"
#include "runtime/service_settings.hpp"
#include "taking/work_loop.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>

namespace leat::routing {

// Writes what was counted to the metrics of the service's namespace, when it has one.
class metrics_writer {
public:
    // `redis` is the service's own server, which the namespace is on unless the settings say otherwise.
    metrics_writer(const runtime::context& given, const runtime::service_settings& settings, const std::string& redis);

    // What cannot be written now is kept for the next time.
    boost::asio::awaitable<void> write(tally& counted);
    const std::optional<taking::name_space_place>& name_space() const { return place_; }

private:
    std::optional<taking::name_space_place> place_;
    redis::link* server_ = nullptr;
    std::string metrics_;
};

} // namespace leat::routing
