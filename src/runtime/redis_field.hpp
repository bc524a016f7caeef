#pragma once

#include "config/spec.hpp"
#include "redis/url.hpp"

#include <string>
#include <utility>

namespace leat::runtime {

// The setting that names the server of a kind's queues.
template <class S>
config::typed_field<S> redis_field(std::string S::* server, std::string doc = "Server of the queues.") {
    return config::field("redis", server, std::move(doc)).secret(config::secrecy::url).check(redis::check_url);
}

} // namespace leat::runtime
