#pragma once

#include "redis/server.hpp"
#include "routing/processor_type.hpp"
#include "store/scripts.hpp"
#include "store/settlement.hpp"

#include <vector>

namespace leat::routing {

// For importers whose messages come from no queue, as HTTP requests do: writes what a passage has gathered, to the
// router's own Redis, all of it or nothing, and once, however often the answer is lost. (What comes from a queue is
// written by the script that settles it.) Owned by the importer; `context` outlives it.
class direct_writer {
public:
    using clock = redis::server::clock;

    explicit direct_writer(const processor_context& context);

    // Tries until it is written, or until `latest`: then the last failure says why nothing was, or that nobody knows.
    // `outputs_of` has what a passage has gathered.
    boost::asio::awaitable<redis::result<store::written_once>> write(
        std::vector<store::output> gathered, clock::time_point latest);

private:
    redis::server there_;
};

} // namespace leat::routing
