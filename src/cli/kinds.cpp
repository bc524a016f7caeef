#include "bridge/bridge_kind.hpp"
#include "cli/program.hpp"
#include "movers/movers.hpp"
#include "routing/routing.hpp"
#include "workers/workers.hpp"

namespace leat::cli {

// A room with processors of its own adds them here.
const routing::processor_table& all_processors() {
    static const routing::processor_table all{routing::processors()};
    return all;
}

// A new kind is a row here.
runtime::kind_table all_kinds() {
    return {
        movers::mpush_kind(),      workers::exec_kind(),
        routing::mdispatch_kind(), routing::router_kind(all_processors()),
        routing::rquery_kind(),    bridge::bridge_kind(),
    };
}

} // namespace leat::cli
