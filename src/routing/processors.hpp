#pragma once

#include "routing/processor_type.hpp"

namespace leat::routing {

// One file each.
processor_type redis_importer_type();
processor_type http_request_validator_type();
processor_type schema_validator_type();
processor_type rate_limit_filter_type();
processor_type expired_filter_type();
processor_type timeout_filter_type();
processor_type duration_monitor_type();
processor_type dedupe_filter_type();
processor_type regexp_router_type();
processor_type multicast_type();
processor_type redis_exporter_type();

} // namespace leat::routing
